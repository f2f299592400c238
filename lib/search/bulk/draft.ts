import type { OperationName } from "../../platform/contract/search.ts";
import { piecesWithPaths } from "../../platform/json/slices.ts";
import type { Guard, Operation } from "./operations.ts";

/** A part of a `_bulk` body. Vectors and documents are buffers, which are copied once, into the body. */
export type Piece = string | Buffer;

export const isPiece = (value: unknown): value is Piece => typeof value === "string" || Buffer.isBuffer(value);

/** An operation that is ready to be written. */
export interface Draft {
  operation: Operation;
  /** Embedding fields to splice into the document, as JSON by dotted path. */
  changes: Readonly<Record<string, Piece>>;
  /**
   * The version that the document must have: the caller's, that from which the embeddings were computed, or that which
   * this operation itself stored with another index's embeddings. Absent if none.
   */
  guard?: Guard;
}

/** A draft with its lines. */
export interface Sending {
  draft: Draft;
  /** The action to send, which may differ from the requested operation. */
  op: OperationName;
  /** The line with the document; undefined for delete. */
  source: readonly Piece[] | undefined;
  /** All lines, including the action. */
  lines: readonly Piece[];
}

/** A version that no document has. The cluster answers an update with 404 if the document is missing, else with 409. */
export const NO_DOCUMENT: Guard = { seqNo: Number.MAX_SAFE_INTEGER, primaryTerm: 1 };

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Returns the document of a draft on one line: the caller's text with the embeddings added. */
function documentOf(bytes: Buffer, { operation: { slice }, changes }: Draft): Piece[] {
  const raw = onOneLine(bytes.subarray(slice?.start, slice?.end));
  return Object.keys(changes).length === 0 ? [raw] : piecesWithPaths(raw.toString("utf8"), changes);
}

/** Replaces line breaks. In JSON, they occur only as white space: inside strings they are escaped. */
function onOneLine(document: Buffer): Buffer {
  if (!document.includes(NEWLINE) && !document.includes(RETURN)) return document;
  return Buffer.from(document.toString("latin1").replaceAll(/[\n\r]/g, " "), "latin1");
}

/**
 * Returns the lines to send for a draft. The cluster accepts no version with `doc_as_upsert`. So if the embeddings
 * depend on whether the document exists, a missing document is created, and an existing one is updated on the condition
 * of the version that was read.
 */
export function sendingOf(bytes: Buffer, draft: Draft): Sending {
  const { op, upsert } = draft.operation;
  if (op === "delete") return withLines(draft, op, undefined);
  const document = documentOf(bytes, draft);
  // Replaces the document that this operation itself has created.
  if (op === "create" && draft.guard) return withLines(draft, "index", document);
  if (op !== "update") return withLines(draft, op, document);
  if (upsert && draft.guard === NO_DOCUMENT) return withLines(draft, "create", document);
  return withLines(draft, op, ['{"doc":', ...document, upsert && !draft.guard ? ',"doc_as_upsert":true}' : "}"]);
}

function withLines(draft: Draft, op: OperationName, source: readonly Piece[] | undefined): Sending {
  const action = actionOf(draft, op);
  return { draft, op, source, lines: source ? [`${action}\n`, ...source, "\n"] : [`${action}\n`] };
}

function actionOf({ operation, guard }: Draft, op: OperationName): string {
  const { id, routing, external } = operation;
  if (!routing && !external && !guard) return `{"${op}":{"_id":${JSON.stringify(id)}}}`;
  const allowed = op === "create" || external ? undefined : guard;
  return JSON.stringify({
    [op]: {
      _id: id,
      routing,
      if_seq_no: allowed?.seqNo,
      if_primary_term: allowed?.primaryTerm,
      version: external?.version,
      // With a guard, this operation itself has already stored the version, so an equal version must be accepted.
      version_type: external && guard ? "external_gte" : external?.type,
    },
  });
}

/** Returns pieces put together. */
export function join(pieces: readonly Piece[]): Buffer {
  const body = Buffer.allocUnsafe(lengthOf(pieces));
  let at = 0;
  for (const piece of pieces) at += typeof piece === "string" ? body.write(piece, at) : piece.copy(body, at);
  return body;
}

function lengthOf(pieces: readonly Piece[]): number {
  let length = 0;
  for (const piece of pieces) length += typeof piece === "string" ? Buffer.byteLength(piece) : piece.length;
  return length;
}

/**
 * Yields chunks of drafts whose `_bulk` body takes at most `maxBytes`. A larger document gets a chunk of its own. Lazy,
 * so that only one chunk is in memory at a time.
 */
export function* chunksOf(bytes: Buffer, drafts: readonly Draft[], maxBytes: number): Generator<Sending[]> {
  let chunk: Sending[] = [];
  let length = 0;
  for (const draft of drafts) {
    const sending = sendingOf(bytes, draft);
    const size = lengthOf(sending.lines);
    if (chunk.length > 0 && length + size > maxBytes) {
      yield chunk;
      chunk = [];
      length = 0;
    }
    chunk.push(sending);
    length += size;
  }
  if (chunk.length > 0) yield chunk;
}

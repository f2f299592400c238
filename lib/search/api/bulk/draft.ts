import { withPaths } from "../../../core/json/paths.ts";
import type { Guard, Operation } from "./operations.ts";
import type { OperationName } from "./request.ts";

/** An operation that is ready to be written. */
export interface Draft {
  operation: Operation;
  /** Embedding fields to splice into the document, as JSON by dotted path. */
  changes: Readonly<Record<string, string>>;
  /** The version that the caller allows, or that the embeddings were computed from; absent if neither. */
  guard?: Guard;
}

/** A draft with the line of its document, which delete does not have. */
export interface Sending {
  draft: Draft;
  /** The operation that is sent. */
  op: OperationName;
  source: string | undefined;
}

/** A version that no document has. The cluster answers an update with 404 if the document is missing, else with 409. */
export const NO_DOCUMENT: Guard = { seqNo: Number.MAX_SAFE_INTEGER, primaryTerm: 1 };

/** Returns the document of a draft on one line: what the caller wrote, with the embeddings. */
export function documentOf(text: string, { operation, changes }: Draft): string {
  const raw = text.slice(operation.slice?.start, operation.slice?.end);
  // Line breaks inside strings are always escaped, so these are white space. Embeddings have none.
  return withPaths(/[\n\r]/.test(raw) ? raw.replaceAll(/[\n\r]/g, " ") : raw, changes);
}

/**
 * Returns what to send for a draft. The cluster takes no version with `doc_as_upsert`. So if the embeddings depend on
 * whether the document exists, a missing one is created, and an existing one updated in the version that was read.
 */
export function sendingOf(text: string, draft: Draft): Sending {
  const { op, upsert } = draft.operation;
  if (op === "delete") return { draft, op, source: undefined };
  const document = documentOf(text, draft);
  if (op !== "update") return { draft, op, source: document };
  if (upsert && draft.guard === NO_DOCUMENT) return { draft, op: "create", source: document };
  return { draft, op, source: `{"doc":${document}${upsert && !draft.guard ? ',"doc_as_upsert":true' : ""}}` };
}

/** Returns the lines of one operation in a `_bulk` body. */
export function linesOf(sending: Sending): string {
  const action = actionOf(sending);
  return sending.source === undefined ? `${action}\n` : `${action}\n${sending.source}\n`;
}

/** Returns the bytes of {@link linesOf} without putting them together: the document may be long. */
function lengthOf(sending: Sending): number {
  const { source } = sending;
  return Buffer.byteLength(actionOf(sending)) + 1 + (source === undefined ? 0 : Buffer.byteLength(source) + 1);
}

function actionOf({ draft, op }: Sending): string {
  const { id, routing, external } = draft.operation;
  const guard = op === "create" ? undefined : draft.guard;
  return JSON.stringify({
    [op]: {
      _id: id,
      routing,
      if_seq_no: guard?.seqNo,
      if_primary_term: guard?.primaryTerm,
      version: external?.version,
      version_type: external?.type,
    },
  });
}

/**
 * Yields chunks of drafts whose `_bulk` body takes at most `maxBytes`. A larger document gets a chunk of its own. Lazy,
 * so that only one chunk is in memory at a time.
 */
export function* chunksOf(text: string, drafts: readonly Draft[], maxBytes: number): Generator<Sending[]> {
  let chunk: Sending[] = [];
  let bytes = 0;
  for (const draft of drafts) {
    const sending = sendingOf(text, draft);
    const size = lengthOf(sending);
    if (chunk.length > 0 && bytes + size > maxBytes) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(sending);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}

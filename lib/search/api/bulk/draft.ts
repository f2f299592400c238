import { withMembers } from "../../../core/json/slices.ts";
import type { Guard } from "./item.ts";
import type { Operation } from "./operations.ts";

/** An operation that is ready to be written. */
export interface Draft {
  operation: Operation;
  /** Embedding fields to splice into the document, as JSON. */
  changes: Readonly<Record<string, string>>;
  /** The version of the document that the embeddings were computed from; absent if the operation alone sufficed. */
  guard?: Guard;
}

/** A draft with the line of its document, which delete does not have. */
export interface Sending {
  draft: Draft;
  source: string | undefined;
}

/** A version that no document has. The cluster answers an update with 404 if the document is missing, else with 409. */
export const NO_DOCUMENT: Guard = { seqNo: Number.MAX_SAFE_INTEGER, primaryTerm: 1 };

/** Returns the document of a draft on one line: what the caller wrote, with the embeddings. */
export function documentOf(text: string, { operation, changes }: Draft): string {
  const raw = text.slice(operation.slice?.start, operation.slice?.end);
  const whole = withMembers(raw, changes);
  // Line breaks inside strings are always escaped, so these are white space.
  return /[\n\r]/.test(whole) ? whole.replaceAll(/[\n\r]/g, " ") : whole;
}

export function sendingOf(text: string, draft: Draft): Sending {
  const { op } = draft.operation;
  const source = op === "delete" ? undefined : documentOf(text, draft);
  return { draft, source: op === "update" ? `{"doc":${source}}` : source };
}

/** Returns the lines of one operation in a `_bulk` body. */
export function linesOf({ draft: { operation, guard }, source }: Sending): string {
  const { op, id } = operation;
  const version = guard ? `,"if_seq_no":${guard.seqNo},"if_primary_term":${guard.primaryTerm}` : "";
  const action = `{"${op}":{"_id":${JSON.stringify(id)}${version}}}\n`;
  return source === undefined ? action : `${action}${source}\n`;
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
    const size = Buffer.byteLength(linesOf(sending));
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

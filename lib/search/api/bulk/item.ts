import { endOfValue, keyIs, readArray, readObject, skipSpace } from "../../../core/json/scan.ts";
import { isObject, parseJson } from "../../../core/json/values.ts";
import type { Sending } from "./draft.ts";
import type { Guard, Operation } from "./operations.ts";

/** One element of `items`: its text, and the values read from it. */
export interface ItemResult {
  /** The JSON object under the operation's name. */
  text: string;
  status: number;
  failed: boolean;
  /** The version that was written; absent if none was. */
  guard?: Guard;
  /** Whether the answer was lost and the stored document fits. The unguarded write itself may still arrive. */
  unproven?: boolean;
}

/** The cluster's answer to one `_bulk` call. */
export interface BulkAnswer {
  took: number;
  items: ItemResult[];
}

interface RawItem {
  _id?: unknown;
  status?: unknown;
  error?: unknown;
  _seq_no?: unknown;
  _primary_term?: unknown;
}

/**
 * Parses the answer to a `_bulk` call of what was `sent` after `skipped` other operations. Returns undefined if the body
 * is not such an answer: if an item is missing, malformed, or about another operation or document.
 */
export function readBulkAnswer(body: Buffer, sent: readonly Sending[], skipped = 0): BulkAnswer | undefined {
  const parsed = parseJson(body) as { took?: unknown; items?: unknown } | null | undefined;
  if (typeof parsed?.took !== "number") return undefined;
  if (!Array.isArray(parsed.items) || parsed.items.length !== sent.length + skipped) return undefined;
  const texts = itemTexts(body, (position) => sent[position - skipped]?.op);
  const items: ItemResult[] = [];
  for (const [index, sending] of sent.entries()) {
    const raw: unknown = parsed.items[index + skipped]?.[sending.op];
    if (!isItemOf(sending, raw)) return undefined;
    const { status, error, _seq_no: seqNo, _primary_term: primaryTerm } = raw;
    items.push({
      text: texts[index + skipped] ?? "",
      status,
      failed: error !== undefined,
      ...(typeof seqNo === "number" && typeof primaryTerm === "number" && { guard: { seqNo, primaryTerm } }),
    });
  }
  return { took: parsed.took, items };
}

/** Returns the text of each item in an answer: the value under the name of its operation. The answer must be JSON. */
function itemTexts(body: Buffer, opOf: (position: number) => string | undefined): string[] {
  const anyDepth = Number.POSITIVE_INFINITY;
  let texts: string[] = [];
  const readItem = (start: number): number => {
    const op = opOf(texts.length) ?? "";
    let text = "";
    const end = readObject(body, start, (value, keyStart, keyEnd) => {
      const after = endOfValue(body, value, anyDepth);
      if (keyIs(body, keyStart, keyEnd, op)) text = body.toString("utf8", value, after);
      return after;
    });
    texts.push(text);
    return end;
  };
  readObject(body, skipSpace(body, 0), (value, keyStart, keyEnd) => {
    if (!keyIs(body, keyStart, keyEnd, "items")) return endOfValue(body, value, anyDepth);
    texts = [];
    return readArray(body, value, readItem);
  });
  return texts;
}

/** Returns whether an item is about the operation, and its status and error fit together. */
function isItemOf({ op, draft }: Sending, raw: unknown): raw is RawItem & { status: number } {
  if (!isObject(raw) || raw._id !== draft.operation.id || typeof raw.status !== "number") return false;
  const { status } = raw;
  const succeeded = (status >= 200 && status < 300) || (op === "delete" && status === 404);
  return raw.error === undefined ? succeeded : isObject(raw.error) && status >= 400;
}

/** The error of an item that the gateway, not the cluster, gives. */
export interface ItemError {
  status: number;
  type: string;
  reason: string;
  /** Whether the unchanged operation may succeed later. */
  retryable: boolean;
  /** Whole seconds to wait before that, if known. */
  retryAfter?: number | undefined;
}

/** Returns the item of an operation that the gateway itself rejects. */
export function failedItem(index: string, { id }: Operation, error: ItemError): ItemResult {
  const { status, type, reason, retryable, retryAfter: retry_after } = error;
  return {
    text: JSON.stringify({ _index: index, _id: id, status, error: { type, reason, retryable, retry_after } }),
    status,
    failed: true,
  };
}

/** Error for an operation skipped because an earlier one on the same id may still arrive and would overwrite it. */
export const EARLIER_UNPROVEN: ItemError = {
  status: 409,
  type: "earlier_operation_unproven",
  reason:
    "the answer to an earlier operation of this request on the same id was lost. That operation may still arrive, so " +
    "this one was not sent",
  retryable: true,
};

/** Error for an operation skipped because an earlier one on the same id failed. */
export const EARLIER_FAILED: ItemError = {
  status: 409,
  type: "earlier_operation_failed",
  reason: "an earlier operation of this request on the same id failed, so this one was not sent",
  retryable: true,
};

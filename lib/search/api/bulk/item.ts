import { elementSlices, memberSlices } from "../../../core/json/slices.ts";
import { parseJson } from "../../../core/json/values.ts";
import type { Operation } from "./operations.ts";

/** The version that a write may replace. If the document has another one, the cluster answers 409. */
export interface Guard {
  seqNo: number;
  primaryTerm: number;
}

/** One element of `items`: its text, and the values read from it. */
export interface ItemResult {
  /** The JSON object under the operation's name. */
  text: string;
  status: number;
  failed: boolean;
  /** The version that was written; absent if none was. */
  guard?: Guard;
}

/** The cluster's answer to one `_bulk` call. */
export interface BulkAnswer {
  took: number;
  items: ItemResult[];
}

interface RawItem {
  status?: unknown;
  error?: unknown;
  _seq_no?: unknown;
  _primary_term?: unknown;
}

/** Parses the answer to a `_bulk` call of `count` operations. Returns undefined if the body is not such an answer. */
export function readBulkAnswer(body: Buffer, count: number): BulkAnswer | undefined {
  const parsed = parseJson(body) as { took?: unknown; items?: unknown } | null | undefined;
  if (!Array.isArray(parsed?.items) || parsed.items.length !== count) return undefined;
  const text = body.toString("utf8");
  const list = memberSlices(text).get("items");
  const items: ItemResult[] = [];
  for (const [index, element] of elementSlices(text, list?.start, list?.end).entries()) {
    const raw = Object.values(parsed.items[index] as Record<string, RawItem>)[0];
    const slice = [...memberSlices(text, element.start, element.end).values()][0];
    if (typeof raw?.status !== "number" || slice === undefined) return undefined;
    const { status, error, _seq_no: seqNo, _primary_term: primaryTerm } = raw;
    items.push({
      text: text.slice(slice.start, slice.end),
      status,
      failed: error !== undefined,
      ...(typeof seqNo === "number" && typeof primaryTerm === "number" && { guard: { seqNo, primaryTerm } }),
    });
  }
  return { took: typeof parsed.took === "number" ? parsed.took : 0, items };
}

/** The error of an item that the gateway, not the cluster, gives. */
export interface ItemError {
  status: number;
  type: string;
  reason: string;
  /** Whether the unchanged operation may succeed later. */
  retryable: boolean;
}

/** Returns the item of an operation that the gateway itself rejects. */
export function failedItem(index: string, { id }: Operation, error: ItemError): ItemResult {
  const { status, type, reason, retryable } = error;
  return {
    text: JSON.stringify({ _index: index, _id: id, status, error: { type, reason, retryable } }),
    status,
    failed: true,
  };
}

/** Error for an operation skipped because an earlier one on the same id failed. */
export const EARLIER_FAILED: ItemError = {
  status: 409,
  type: "earlier_operation_failed",
  reason: "an earlier operation of this request on the same id failed, so this one was not sent",
  retryable: true,
};

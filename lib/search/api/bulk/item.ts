import { elementSlices, memberSlices } from "../../../core/json/slices.ts";
import { parseJson } from "../../../core/json/values.ts";
import type { Operation } from "./operations.ts";

/** The version of a document that a write may replace: with any other the cluster answers 409. */
export interface Guard {
  seqNo: number;
  primaryTerm: number;
}

/** One element of `items` as text, and what is read from it. */
export interface ItemResult {
  /** The object behind the operation's name. */
  text: string;
  status: number;
  failed: boolean;
  /** The version that was written, when there is one. */
  guard?: Guard;
}

/** What the cluster says of one `_bulk` call. */
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

/** Reads the answer to a `_bulk` call of `count` operations; undefined when it is not one. */
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

/** Why an item failed before or beside the cluster. */
export interface ItemError {
  status: number;
  type: string;
  reason: string;
  /** Whether the same operation may succeed later, unchanged. */
  retryable: boolean;
}

/** An item that the gateway answers itself. */
export function failedItem(index: string, { id }: Operation, error: ItemError): ItemResult {
  const { status, type, reason, retryable } = error;
  return {
    text: JSON.stringify({ _index: index, _id: id, status, error: { type, reason, retryable } }),
    status,
    failed: true,
  };
}

/** Of an operation whose predecessor on the same id failed (decisions 4.1). */
export const EARLIER_FAILED: ItemError = {
  status: 409,
  type: "earlier_operation_failed",
  reason: "an earlier operation of this request on the same id failed, so this one was not sent",
  retryable: true,
};

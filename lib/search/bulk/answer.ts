import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Degradation } from "../../platform/http/degradation.ts";
import { ApiError } from "../../platform/http/error.ts";
import { MAX_RESULT_BYTES } from "../../platform/http/middleware.ts";
import { withMembers } from "../../platform/json/slices.ts";
import type { BulkCall, Operation } from "./operations.ts";
import type { ItemResult } from "./send.ts";
import type { BulkTarget } from "./target.ts";

const compress = promisify(gzip);

/** Bytes reserved for the status, the headers and the JSON around the items. */
const ENVELOPE_BYTES = 4_096;

/** The most bytes of an item without its index name and id: a success, or an error shortened by `shortened`. */
const ITEM_BYTES = 360;

/** The most bytes that the echo adds to an operation: `,"doc":null` of a delete. */
const DELETE_BYTES = 12;

/** The most bytes of an error's type and of its reason in a shortened item. */
const SHORT_TYPE_BYTES = 60;
const SHORT_REASON_BYTES = 120;

/**
 * Bytes reserved for a longer index name: an alias may be moved to an index with another date or number during the
 * request.
 */
const INDEX_NAME_SLACK = 40;

/** The most bytes of `degraded` for one embedding field: the positions of all operations, and the reasons. */
const DEGRADED_BYTES = 60_000;

/** The most reasons that `degraded` lists for one field; the rest become "other reasons". */
const MAX_REASONS = 20;

/** Parts of the request that the answer repeats. */
type Echoed = Pick<BulkCall, "body" | "bytes" | "operations">;

/** Returns the members of the answer that repeat the request: its original text, with `doc: null` in each delete. */
export function echoOf({ body: { index, refresh }, bytes, operations }: Echoed): string {
  const parts: string[] = [];
  let copied = operations[0]?.element.start ?? 0;
  for (const { op, element } of operations) {
    if (op !== "delete") continue;
    const { start, end } = element;
    parts.push(bytes.toString("utf8", copied, start), withMembers(bytes.toString("utf8", start, end), { doc: "null" }));
    copied = end;
  }
  parts.push(bytes.toString("utf8", copied, operations.at(-1)?.element.end));
  const told = refresh === undefined ? "" : `"refresh":${JSON.stringify(refresh)},`;
  return `"index":${JSON.stringify(index)},${told}"bulk_request":[${parts.join("")}]`;
}

/** Returns the bytes of a text inside the JSON of the proxy result, which escapes it once more. */
export function serializedBytes(text: string): number {
  return Buffer.byteLength(text) + (text.match(/["\\\n\r\t]/g)?.length ?? 0);
}

/**
 * Rejects a request whose answer might not fit, before anything is written. The length of the echo is known, and
 * `answerText` keeps each item within `itemBound`. Throws `payload_too_large`.
 */
export async function requireFittingAnswer(
  request: Echoed,
  target: BulkTarget,
  acceptEncoding: string | undefined,
): Promise<void> {
  const { bytes, operations } = request;
  const items = operations.reduce((sum, operation) => sum + itemBound(operation, target), 0);
  const isAny = target.onFailure === "degrade" || target.isPiped;
  const mayDegrade = target.mappings.filter(({ unheld }) => isAny || unheld !== undefined);
  const degraded = DEGRADED_BYTES * mayDegrade.length;
  const rest = items + degraded + ENVELOPE_BYTES;
  // Escaping at most doubles the length of JSON, so most requests need no counting.
  if ((bytes.length + DELETE_BYTES * operations.length) * 2 + rest <= MAX_RESULT_BYTES) return;
  const echo = echoOf(request);
  const plain = serializedBytes(echo) + rest;
  if (plain <= MAX_RESULT_BYTES) return;
  // Matches gzip without a weight only: with weights, another encoding may be chosen.
  if (/(^|,)\s*gzip\s*(,|$)/i.test(acceptEncoding ?? "")) {
    const packed = (await compress(echo)).length + rest;
    if (Math.ceil(packed / 3) * 4 + ENVELOPE_BYTES <= MAX_RESULT_BYTES) return;
  }
  throw new ApiError(
    "payload_too_large",
    `The answer repeats the request and could take ${plain} bytes, at most ${MAX_RESULT_BYTES} can be returned. ` +
      `Split bulk_request into ${Math.ceil(plain / MAX_RESULT_BYTES) + 1} requests of fewer operations, or send ` +
      "accept-encoding: gzip. Nothing has been written.",
  );
}

/** Returns the most bytes that one item takes in the answer. */
export function itemBound({ id }: Operation, { itemIndex }: BulkTarget): number {
  return ITEM_BYTES + serializedBytes(JSON.stringify(id)) + serializedBytes(itemIndex) + INDEX_NAME_SLACK;
}

/** Returns the answer's text. Shortens the errors of items only if the answer would not fit otherwise. */
export function answerText(
  echo: string,
  operations: readonly Operation[],
  results: ReadonlyMap<Operation, ItemResult>,
  took: number,
  degraded: readonly Degradation[],
): string {
  const whole = compose(echo, operations, results, took, degraded, (item) => item.text);
  if (whole.length * 2 <= MAX_RESULT_BYTES || serializedBytes(whole) + ENVELOPE_BYTES <= MAX_RESULT_BYTES) return whole;
  return compose(echo, operations, results, took, degraded, (item) => (item.failed ? shortened(item) : item.text));
}

function compose(
  echo: string,
  operations: readonly Operation[],
  results: ReadonlyMap<Operation, ItemResult>,
  took: number,
  degraded: readonly Degradation[],
  textOf: (item: ItemResult) => string,
): string {
  let errors = false;
  const items = operations.map((operation) => {
    const item = results.get(operation);
    if (!item) throw new Error(`operation ${operation.position} has no result`);
    errors ||= item.failed;
    return `{"${operation.op}":${textOf(item)}}`;
  });
  const response = `"index_response":{"took":${took},"errors":${errors},"items":[${items.join(",")}]}`;
  return `{${echo},${response}${degraded.length > 0 ? `,"degraded":${JSON.stringify(degraded)}` : ""}}`;
}

/** Returns a failed item with its type and reason cut and without causes. */
export function shortened({ text }: ItemResult): string {
  const item = JSON.parse(text) as {
    _index: string;
    _id: string;
    status: number;
    error: { type: unknown; reason: unknown; retryable?: boolean };
  };
  const { type, reason, retryable } = item.error;
  return JSON.stringify({
    _index: item._index,
    _id: item._id,
    status: item.status,
    error: {
      type: cut(String(type), SHORT_TYPE_BYTES),
      reason: cut(String(reason), SHORT_REASON_BYTES),
      ...(retryable !== undefined && { retryable }),
    },
  });
}

/** Returns the text, or as much of its start as takes at most `bytes` in the proxy result. */
function cut(text: string, bytes: number): string {
  const sizeOf = (part: string) => serializedBytes(JSON.stringify(part));
  if (text.length <= bytes && sizeOf(text) <= bytes) return text;
  const characters = [...text.slice(0, bytes)];
  while (characters.length > 0 && sizeOf(`${characters.join("")}…`) > bytes) characters.pop();
  return `${characters.join("")}…`;
}

/** A document that is stored without an embedding, or with an earlier one, and why. */
export interface DegradedWrite {
  operation: Operation;
  field: string;
  reason: string;
  isEarlier?: true;
}

/** Returns the `degraded` list: one entry for each embedding field, effect and reason, with the positions of its operations. */
export function degradationsOf(writes: readonly DegradedWrite[]): Degradation[] {
  const effectOf = ({ field, isEarlier }: DegradedWrite) =>
    `stored ${isEarlier ? "with an earlier" : "without"} ${field}`;
  return [...Map.groupBy(writes, effectOf)].flatMap(([stored, ofField]) => {
    const target = ofField[0]?.field ?? "";
    const reasons = [...new Set(ofField.map(({ reason }) => reason))];
    const told = new Set(reasons.slice(0, MAX_REASONS));
    const byReason = Map.groupBy(ofField, ({ reason }) => (told.has(reason) ? reason : "other reasons"));
    return [...byReason].map(([reason, ofReason]): Degradation => {
      const positions = ofReason.map(({ operation }) => operation.position).sort((a, b) => a - b);
      return { stage: "embedding", target, reason, effect: `${stored}: bulk_request ${ranges(positions)}` };
    });
  });
}

/** Returns `outcome_unknown`. Its `error.cause` lists the positions in `bulk_request` by the state of the operation. */
export function outcomeUnknown(
  operations: readonly Operation[],
  results: ReadonlyMap<Operation, ItemResult>,
  { unknown, lostTo }: { unknown: readonly Operation[]; lostTo: readonly unknown[] },
): ApiError {
  const doubtful = new Set(unknown);
  const stateOf = (operation: Operation) => {
    if (doubtful.has(operation)) return "unknown";
    const result = results.get(operation);
    if (!result) return "not_sent";
    return result.failed ? "failed" : "written";
  };
  const states = Map.groupBy(operations, stateOf);
  const shown = Object.fromEntries(
    [...states].map(([state, members]) => [state, ranges(members.map(({ position }) => position))]),
  );
  return new ApiError(
    "outcome_unknown",
    `The answer of the search cluster was lost: whether ${unknown.length} of ${operations.length} operations were ` +
      "written is not known. error.cause lists the positions in bulk_request that are written, failed, unknown and " +
      "not sent. Read the unknown documents before sending them again.",
    { shown, cause: lostTo },
  );
}

/** Returns positions, given in ascending order, as a short text: `0-119, 121`. */
export function ranges(positions: readonly number[]): string {
  const parts: string[] = [];
  let start: number | undefined;
  for (const [index, position] of positions.entries()) {
    start ??= position;
    if (positions[index + 1] === position + 1) continue;
    parts.push(start === position ? `${position}` : `${start}-${position}`);
    start = undefined;
  }
  return parts.join(", ");
}

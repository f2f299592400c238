import type { OperationName } from "../../platform/contract/search.ts";
import type { ApiError } from "../../platform/http/error.ts";
import { endOfValue, keyIs, readArray, readObject, skipSpace } from "../../platform/json/scan.ts";
import { isObject, OPEN_BRACE, parseJson } from "../../platform/json/values.ts";
import { type Deadline, earlier } from "../../platform/resilience/deadline.ts";
import { CREATE_NO_INDEX, callTimeout, isBusy, isClusterError, refusalOf } from "../opensearch/calls.ts";
import { type Cluster, type ClusterAnswer, ClusterFailure } from "../opensearch/cluster.ts";
import { join, type Sending } from "./draft.ts";
import type { Guard, Operation } from "./operations.ts";
import type { BulkRequest } from "./request.ts";
import type { BulkTarget } from "./target.ts";

/** Part of a write's timeout (ms) reserved for reading its effect if the answer is lost. */
const REREAD_MS = 1_000;

/** The least milliseconds for a write. With less, it would probably time out with an unknown outcome. */
const LEAST_WRITE_MS = 500;

/**
 * The outcome of one `_bulk` call.
 * - `busy`: the cluster itself refused the whole call with 429 or 503, nothing was written;
 * - `refused`: no connection, nothing was sent;
 * - `lost`: the operations may have been written;
 * - `too_long`: the body is over the cluster's own limit;
 * - `rejected`: the cluster rejects the call as a whole.
 */
export type Outcome =
  | { kind: "answered"; answer: BulkAnswer }
  | { kind: "busy" | "refused" | "lost"; cause: unknown }
  | { kind: "too_long" }
  | { kind: "rejected"; error: ApiError };

/** Whether there is time to start a write. */
export function canWrite(deadline: Deadline): boolean {
  return deadline.remaining() > REREAD_MS + LEAST_WRITE_MS;
}

/** Target and common parameters of `_bulk` calls. */
export interface WriteCall {
  cluster: Cluster;
  target: BulkTarget;
  deadline: Deadline;
  refresh: BulkRequest["refresh"];
}

/** Makes one `_bulk` call, without retries. */
export async function sendBulk(
  { cluster, target, deadline, refresh }: WriteCall,
  sendings: readonly Sending[],
): Promise<Outcome> {
  const first = target.mappings.length > 0 ? CREATE_NO_INDEX : "";
  const request = {
    method: "POST",
    path: `/${encodeURIComponent(target.name)}/_bulk`,
    ...(refresh !== undefined && { query: `refresh=${refresh}` }),
    headers: { "content-type": "application/x-ndjson" },
    body: join([first, ...sendings.flatMap(({ lines }) => lines)]),
  };
  try {
    const answer = await cluster.send(request, callTimeout(earlier(deadline, REREAD_MS)));
    const { status } = answer;
    const cause = `the search cluster answered _bulk with status ${status}`;
    if (isBusy(status) && isClusterError(answer)) return { kind: "busy", cause };
    if (status === 413) return { kind: "too_long" };
    if (isRejection(answer)) return { kind: "rejected", error: refusalOf(answer) };
    const read = status < 300 ? readBulkAnswer(answer.body, sendings, first === "" ? 0 : 1) : undefined;
    return read
      ? { kind: "answered", answer: read }
      : { kind: "lost", cause: `${cause} and a body that is not its answer to these operations` };
  } catch (error) {
    if (error instanceof ClusterFailure) return { kind: error.sent ? "lost" : "refused", cause: error };
    throw error;
  }
}

/**
 * Statuses of authentication and authorization. They are decided before anything is executed, by the cluster or a
 * proxy.
 */
const NO_ACCESS = new Set([401, 403]);

/**
 * Returns whether the cluster rejected a call without executing it. A proxy in front of it may answer with any other
 * error after the call was executed, and so may the cluster itself with 500.
 */
function isRejection(answer: ClusterAnswer): boolean {
  const { status } = answer;
  return NO_ACCESS.has(status) || (status >= 400 && status < 500 && isClusterError(answer));
}

/** One element of `items`: its text, and the values read from it. */
export interface ItemResult {
  /** The JSON object under the operation's name. */
  text: string;
  status: number;
  failed: boolean;
  /** The concrete index that executed or refused the operation; present in the cluster's own answers. */
  index?: string;
  /** The version that was written; absent if none was. */
  guard?: Guard;
  /** Whether the answer was lost and the stored document matches. The unguarded write itself may still arrive. */
  unproven?: boolean;
}

/** The cluster's answer to one `_bulk` call. */
interface BulkAnswer {
  took: number;
  items: ItemResult[];
}

interface RawItem {
  _index?: unknown;
  _id?: unknown;
  status?: unknown;
  error?: unknown;
  _seq_no?: unknown;
  _primary_term?: unknown;
}

/**
 * Parses the answer to a `_bulk` call with the operations `sent` after `skipped` other ones. Returns undefined if the
 * body is not such an answer: an item is missing or malformed, or items are in another order. Ids and names of items
 * may differ from their operations: a pipeline may set `_id`, and an upsert that a pipeline drops is an `index` item
 * with the id "auto-generated".
 */
function readBulkAnswer(body: Buffer, sent: readonly Sending[], skipped = 0): BulkAnswer | undefined {
  const parsed = parseJson(body) as { took?: unknown; items?: unknown } | null | undefined;
  if (typeof parsed?.took !== "number") return undefined;
  if (!Array.isArray(parsed.items) || parsed.items.length !== sent.length + skipped) return undefined;
  const texts = itemTexts(body);
  const items: ItemResult[] = [];
  const inPlace = new Set<unknown>();
  const otherIds: unknown[] = [];
  for (const [index, { op, draft }] of sent.entries()) {
    const item: unknown = parsed.items[index + skipped];
    const [[name, raw] = [], ...others] = isObject(item) ? Object.entries(item) : [];
    if (others.length > 0 || (name === "delete") !== (op === "delete") || !isItemOf(op, raw)) return undefined;
    if (raw._id === draft.operation.id) inPlace.add(raw._id);
    else otherIds.push(raw._id);
    const { _index, status, error, _seq_no: seqNo, _primary_term: primaryTerm } = raw;
    items.push({
      text: texts[index + skipped] ?? "",
      status,
      failed: error !== undefined,
      ...(typeof _index === "string" && { index: _index }),
      ...(typeof seqNo === "number" && typeof primaryTerm === "number" && { guard: { seqNo, primaryTerm } }),
    });
  }
  return isMoved(sent, inPlace, otherIds) ? undefined : { took: parsed.took, items };
}

/** Returns whether an item is at the position of another operation instead of its own. */
function isMoved(sent: readonly Sending[], inPlace: ReadonlySet<unknown>, otherIds: readonly unknown[]): boolean {
  if (otherIds.length === 0) return false;
  const missing = new Set<unknown>(sent.map(({ draft }) => draft.operation.id).filter((id) => !inPlace.has(id)));
  return otherIds.some((id) => missing.has(id));
}

/** Returns the text of each item in an answer: the value under the name of its operation. The answer must be JSON. */
function itemTexts(body: Buffer): string[] {
  const anyDepth = Number.POSITIVE_INFINITY;
  let texts: string[] = [];
  const readItem = (start: number): number => {
    let text = "";
    const readValue = (value: number): number => {
      const after = endOfValue(body, value, anyDepth);
      text = body.toString("utf8", value, after);
      return after;
    };
    const end = body[start] === OPEN_BRACE ? readObject(body, start, readValue) : readValue(start);
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

/** Returns whether a value is the item of an operation, whose status and error fit together. */
function isItemOf(op: OperationName, raw: unknown): raw is RawItem & { status: number } {
  if (!isObject(raw) || typeof raw.status !== "number") return false;
  const { status } = raw;
  const succeeded = (status >= 200 && status < 300) || (op === "delete" && status === 404);
  return raw.error === undefined ? succeeded : isObject(raw.error) && status >= 400;
}

/** An item error that comes from the gateway, not from the cluster. */
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

/** Adds to an error that no operation of the request was written. */
export function nothingWritten(error: ApiError): ApiError {
  return error.withMessage(`${error.message} Nothing has been written.`);
}

/** Returns the error of each operation of a call that failed as a whole, without any write. */
export function itemErrorOf(error: ApiError): ItemError {
  const { code, statusCode, message, shown } = error;
  const retryable = code === "upstream_unavailable" || code === "timeout";
  const type = typeof shown?.type === "string" ? shown.type : code;
  return { status: retryable ? 503 : statusCode, type, reason: message, retryable };
}

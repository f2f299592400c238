import type { ApiError } from "../../../core/http/error.ts";
import { type Deadline, earlier } from "../../../core/resilience/deadline.ts";
import { CREATE_NO_INDEX, callTimeout, isBusy, isClusterError, jsonOf } from "../../opensearch/calls.ts";
import { type Cluster, type ClusterAnswer, ClusterFailure } from "../../opensearch/cluster.ts";
import { join, type Sending } from "./draft.ts";
import { type BulkAnswer, readBulkAnswer } from "./item.ts";
import type { BulkRequest } from "./request.ts";
import type { Target } from "./target.ts";

/** Milliseconds kept back from a write's timeout to read what it has done, in case its answer is lost. */
const REREAD_MS = 1_000;

/** The least milliseconds for a write. With less, it would probably time out with an unknown outcome. */
const LEAST_WRITE_MS = 500;

/** Milliseconds that must be left before the deadline to start a write. */
export const WRITE_RESERVE_MS = REREAD_MS + LEAST_WRITE_MS;

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
  return deadline.remaining() > WRITE_RESERVE_MS;
}

/** Where `_bulk` calls go, and what they have in common. */
export interface BulkCall {
  cluster: Cluster;
  target: Target;
  deadline: Deadline;
  refresh: BulkRequest["refresh"];
}

/** Makes one `_bulk` call, without retries. */
export async function sendBulk(
  { cluster, target, deadline, refresh }: BulkCall,
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
    if (isRejection(answer)) return { kind: "rejected", error: rejection(() => jsonOf(answer)) };
    const read = status < 300 ? readBulkAnswer(answer.body, sendings, first === "" ? 0 : 1) : undefined;
    return read
      ? { kind: "answered", answer: read }
      : { kind: "lost", cause: `${cause} and a body that is not its answer to these operations` };
  } catch (error) {
    if (error instanceof ClusterFailure) return { kind: error.sent ? "lost" : "refused", cause: error };
    throw error;
  }
}

/** Statuses of authentication and authorization, which whatever answers decides before anything is executed. */
const NO_ACCESS = new Set([401, 403]);

/**
 * Returns whether the cluster rejected a call without executing it. A proxy in front of it may answer with any other
 * error after the call was executed, and so may the cluster itself with 500.
 */
function isRejection(answer: ClusterAnswer): boolean {
  const { status } = answer;
  return NO_ACCESS.has(status) || (status >= 400 && status < 500 && isClusterError(answer));
}

function rejection(read: () => unknown): ApiError {
  try {
    read();
  } catch (error) {
    return error as ApiError;
  }
  throw new Error("an answer with a status above 300 was taken for a success");
}

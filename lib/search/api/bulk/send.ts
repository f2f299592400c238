import type { ApiError } from "../../../core/http/error.ts";
import { type Deadline, earlier } from "../../../core/resilience/deadline.ts";
import { callTimeout, isBusy, jsonOf } from "../../opensearch/calls.ts";
import { type Cluster, ClusterFailure } from "../../opensearch/cluster.ts";
import { linesOf, type Sending } from "./draft.ts";
import { type BulkAnswer, readBulkAnswer } from "./item.ts";

/** Milliseconds kept back from a write's timeout to read what it has done, in case its answer is lost. */
const REREAD_MS = 1_000;

/** The least milliseconds for a write. With less, it would probably time out with an unknown outcome. */
const LEAST_WRITE_MS = 500;

/** Milliseconds that must be left before the deadline to start a write. */
export const WRITE_RESERVE_MS = REREAD_MS + LEAST_WRITE_MS;

/**
 * The outcome of one `_bulk` call.
 * - `busy`: 429 or 503 for the whole call, nothing was written;
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

/** Makes one `_bulk` call, without retries. */
export async function sendBulk(
  cluster: Cluster,
  index: string,
  sendings: readonly Sending[],
  deadline: Deadline,
): Promise<Outcome> {
  const request = {
    method: "POST",
    path: `/${encodeURIComponent(index)}/_bulk`,
    headers: { "content-type": "application/x-ndjson" },
    body: sendings.map(linesOf).join(""),
  };
  try {
    const answer = await cluster.send(request, callTimeout(earlier(deadline, REREAD_MS)));
    const { status } = answer;
    const cause = `the search cluster answered _bulk with status ${status}`;
    if (isBusy(status)) return { kind: "busy", cause };
    if (status === 413) return { kind: "too_long" };
    // A proxy in front of the cluster also answers 500, 502 and 504, and the cluster may have received the call.
    if (status >= 500) return { kind: "lost", cause };
    if (status >= 300) return { kind: "rejected", error: rejection(() => jsonOf(answer)) };
    const read = readBulkAnswer(answer.body, sendings.length);
    return read
      ? { kind: "answered", answer: read }
      : { kind: "lost", cause: `${cause} and a body that is no bulk answer` };
  } catch (error) {
    if (error instanceof ClusterFailure) return { kind: error.sent ? "lost" : "refused", cause: error };
    throw error;
  }
}

function rejection(read: () => unknown): ApiError {
  try {
    read();
  } catch (error) {
    return error as ApiError;
  }
  throw new Error("an answer with a status above 300 was taken for a success");
}

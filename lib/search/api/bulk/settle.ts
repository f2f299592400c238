import { ApiError } from "../../../core/http/error.ts";
import { type Deadline, earlier } from "../../../core/resilience/deadline.ts";
import { backoff, MAX_ATTEMPTS } from "../../../core/resilience/retry.ts";
import type { Cluster } from "../../opensearch/cluster.ts";
import type { Draft, Sending } from "./draft.ts";
import { failedItem, type ItemResult } from "./item.ts";
import type { Operation } from "./operations.ts";
import { compareWithStored } from "./reconcile.ts";
import { canWrite, type Outcome, sendBulk } from "./send.ts";
import type { Target } from "./target.ts";

/** Where and until when a request writes. */
export interface Writing {
  cluster: Cluster;
  target: Target;
  deadline: Deadline;
  wait: (ms: number) => Promise<unknown>;
}

/** What became of a chunk: every operation of it is in exactly one of these. */
export interface Settled {
  results: Map<Operation, ItemResult>;
  /** The stored version that their embeddings rest on is gone; with the cluster's 409. */
  conflicts: Array<{ draft: Draft; item: ItemResult }>;
  /** May have been written, and nothing says whether. */
  unknown: Operation[];
  /** Why answers were lost or documents could not be read back. */
  lostTo: unknown[];
  /** Certainly not written, and why. */
  unsent: Array<{ operations: Operation[]; error: ApiError }>;
  took: number;
}

/** One operation of a chunk on its way to an outcome. */
interface Pending {
  sending: Sending;
  /** The answer of an earlier attempt was lost. */
  suspect: boolean;
  /** The cluster's last word on it. */
  last?: ItemResult;
}

/**
 * Writes a chunk until every operation of it has an outcome, in at most three attempts within the deadline. What the
 * cluster rejects with 429 is sent again alone; what may have been done without an answer is read back first, and only
 * what is not there is sent again, guarded so that a late arrival of the first attempt shows.
 */
export async function settleChunk(writing: Writing, chunk: readonly Sending[]): Promise<Settled> {
  const settled: Settled = { results: new Map(), conflicts: [], unknown: [], lostTo: [], unsent: [], took: 0 };
  const pending = chunk.map((sending) => ({ sending, suspect: false }));
  await settle(writing, pending, settled);
  return settled;
}

async function settle(writing: Writing, first: readonly Pending[], settled: Settled): Promise<void> {
  const { cluster, target, deadline, wait } = writing;
  let pending = first;
  if (!canWrite(deadline)) return giveUp(pending, outOfTime(deadline), settled);
  for (let attempt = 1; ; attempt += 1) {
    const sendings = pending.map(({ sending }) => sending);
    const outcome = await sendBulk(cluster, target.name, sendings, deadline);
    if (outcome.kind === "too_long") return settleHalves(writing, pending, settled);
    if (outcome.kind === "rejected") return giveUp(pending, outcome.error, settled);

    const { again, doubtful } = sort(pending, outcome, settled);
    pending = [...again, ...(await readBack(writing, doubtful, settled))];
    if (pending.length === 0) return;
    const delay = backoff(attempt - 1);
    if (attempt === MAX_ATTEMPTS || !canWrite(earlier(deadline, delay))) return end(writing, pending, outcome, settled);
    await wait(delay);
  }
}

/** Takes what an attempt has settled; gives what is to be sent again, and what must be read back before. */
function sort(pending: readonly Pending[], outcome: Outcome, settled: Settled) {
  if (outcome.kind === "lost") settled.lostTo.push(outcome.cause);
  if (outcome.kind === "lost") return { again: [], doubtful: pending.map((one) => ({ ...one, suspect: true })) };
  if (outcome.kind !== "answered") return { again: [...pending], doubtful: [] };
  const again: Pending[] = [];
  const doubtful: Pending[] = [];
  settled.took += outcome.answer.took;
  for (const [index, one] of pending.entries()) {
    const item = outcome.answer.items[index] as ItemResult;
    const { draft } = one.sending;
    if (item.status === 429) again.push({ ...one, last: item });
    else if (item.status === 409 && one.suspect) doubtful.push({ ...one, last: item });
    else if (item.status === 409 && draft.guard) settled.conflicts.push({ draft, item });
    else settled.results.set(draft.operation, item);
  }
  return { again, doubtful };
}

/** Compares with what is stored now: settles what has been done, gives what is to be sent again, guarded. */
async function readBack(writing: Writing, doubtful: readonly Pending[], settled: Settled): Promise<Pending[]> {
  if (doubtful.length === 0) return [];
  const compared = await compareWithStored(
    writing,
    doubtful.map(({ sending }) => sending),
  ).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    settled.lostTo.push(error);
    return undefined;
  });
  const again: Pending[] = [];
  for (const [index, one] of doubtful.entries()) {
    const { draft } = one.sending;
    const found = compared?.[index];
    if (!found) settled.unknown.push(draft.operation);
    else if (found.kind === "done") settled.results.set(draft.operation, found.item);
    else if (found.kind === "changed") settled.conflicts.push({ draft, item: one.last ?? conflict(writing, draft) });
    // Another document was there before: the cluster's 409 was about that one.
    else if (draft.operation.op === "create" && one.last?.status === 409)
      settled.results.set(draft.operation, one.last);
    else again.push({ ...one, sending: found.sending });
  }
  return again;
}

/** A body over the cluster's own HTTP limit is sent in two parts; one operation alone has failed. */
async function settleHalves(writing: Writing, pending: readonly Pending[], settled: Settled): Promise<void> {
  const [only] = pending;
  if (pending.length === 1 && only) {
    const { operation } = only.sending.draft;
    const error = {
      status: 413,
      type: "payload_too_large",
      reason: "the document is over the limit of the search cluster for one request",
      retryable: false,
    };
    settled.results.set(operation, failedItem(writing.target.itemIndex, operation, error));
    return;
  }
  const middle = Math.ceil(pending.length / 2);
  await settle(writing, pending.slice(0, middle), settled);
  await settle(writing, pending.slice(middle), settled);
}

/** The attempts or the time have ended. */
function end(writing: Writing, pending: readonly Pending[], outcome: Outcome, settled: Settled): void {
  if (outcome.kind === "refused") {
    const { cause } = outcome;
    giveUp(pending, new ApiError("upstream_unavailable", "The search cluster cannot be reached.", { cause }), settled);
    return;
  }
  for (const { sending, suspect, last } of pending) {
    const { operation } = sending.draft;
    if (last && (!suspect || last.status === 409)) settled.results.set(operation, last);
    else if (suspect) settled.unknown.push(operation);
    else settled.results.set(operation, failedItem(writing.target.itemIndex, operation, BUSY));
  }
}

const BUSY = {
  status: 429,
  type: "cluster_busy",
  reason: "the search cluster is busy and did not take this operation",
  retryable: true,
};

/** Nothing of this attempt was done; of an earlier one perhaps. */
function giveUp(pending: readonly Pending[], error: ApiError, settled: Settled): void {
  const operations: Operation[] = [];
  for (const { sending, suspect } of pending) {
    (suspect ? settled.unknown : operations).push(sending.draft.operation);
  }
  if (operations.length > 0) settled.unsent.push({ operations, error });
}

function outOfTime(deadline: Deadline): ApiError {
  return new ApiError("timeout", "The time for this request ended before this was written.", {
    cause: `${Math.round(deadline.remaining())} ms were left to start a write`,
  });
}

function conflict({ target }: Writing, { operation }: Draft): ItemResult {
  return failedItem(target.itemIndex, operation, {
    status: 409,
    type: "version_conflict_engine_exception",
    reason: "the document was changed by someone else while it was being updated",
    retryable: true,
  });
}

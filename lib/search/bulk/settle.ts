import { ApiError } from "../../platform/http/error.ts";
import { backoff, earlier, MAX_ATTEMPTS } from "../../platform/resilience/deadline.ts";
import { blockedIndex, type HeldWrites } from "../gateway/held-writes.ts";
import type { Draft, Sending } from "./draft.ts";
import type { Operation } from "./operations.ts";
import { canWrite, failedItem, type ItemResult, type Outcome, sendBulk, type WriteCall } from "./send.ts";
import { compareWithStored } from "./stored.ts";

/** Target and services of a request's writes. */
export interface Writing extends WriteCall {
  wait: (ms: number) => Promise<unknown>;
  /** Retries of writes that are refused while a rebuild switches indexes. */
  holds: HeldWrites;
}

/** The outcome of a chunk. Each operation is in exactly one of its lists, or in `results`. */
export interface Settled {
  results: Map<Operation, ItemResult>;
  /** Drafts that failed with 409 because the version that their embeddings were computed from has been replaced. */
  conflicts: Array<{ draft: Draft; item: ItemResult }>;
  /**
   * Drafts that may have reached an index with other embedding settings: a write block refused them, or another index
   * than the target refused or stored them.
   */
  replaced: Array<{ draft: Draft; item: ItemResult }>;
  /** Operations that may or may not have been written. */
  unknown: Operation[];
  /** Errors by which answers were lost or documents could not be read back. */
  lostTo: unknown[];
  /** Operations that were certainly not written, and why. */
  unsent: Array<{ operations: Operation[]; error: ApiError }>;
  took: number;
}

/** One operation of a chunk that has no outcome yet. */
interface Pending {
  sending: Sending;
  /** Whether an earlier attempt was sent without an answer. */
  suspect: boolean;
  /** The cluster's latest item for it. */
  last?: ItemResult;
}

/**
 * Writes a chunk until every operation has an outcome, in at most three attempts within the deadline. Resends
 * operations that the cluster itself rejected temporarily or that could not be sent. After a lost answer, reads the
 * documents and resends only guarded writes: the first attempt may still arrive, so that an unguarded one could
 * overwrite later changes.
 */
export async function settleChunk(writing: Writing, chunk: readonly Sending[]): Promise<Settled> {
  const settled: Settled = {
    results: new Map(),
    conflicts: [],
    replaced: [],
    unknown: [],
    lostTo: [],
    unsent: [],
    took: 0,
  };
  const pending = chunk.map((sending) => ({ sending, suspect: false }));
  await settle(writing, pending, settled);
  return settled;
}

async function settle(writing: Writing, first: readonly Pending[], settled: Settled): Promise<void> {
  const { deadline, wait } = writing;
  let pending = first;
  if (!canWrite(deadline)) {
    const error = new ApiError("timeout", "The time for this request ended before this was written.", {
      cause: `${Math.round(deadline.remaining())} ms were left to start a write`,
    });
    return giveUp(pending, error, settled);
  }
  for (let attempt = 1; ; attempt += 1) {
    const sendings = pending.map(({ sending }) => sending);
    const outcome = await sendBulk(writing, sendings);
    if (outcome.kind === "too_long") return settleHalves(writing, pending, settled);
    if (outcome.kind === "rejected") return giveUp(pending, outcome.error, settled);

    const { again, doubtful, held } = sort(writing, pending, outcome, settled);
    await waitForHold(writing, held, settled);
    pending = [...again, ...(await readBack(writing, doubtful, settled))];
    if (pending.length === 0) return;
    const delay = backoff(attempt - 1);
    if (attempt === MAX_ATTEMPTS || !canWrite(earlier(deadline, delay))) return end(writing, pending, outcome, settled);
    await wait(delay);
  }
}

/** Records the outcomes of an attempt. Returns the operations to resend, and those to read back first. */
function sort(writing: Writing, pending: readonly Pending[], outcome: Outcome, settled: Settled) {
  if (outcome.kind === "lost") {
    settled.lostTo.push(outcome.cause);
    return { again: [], doubtful: pending.map((one) => ({ ...one, suspect: true })), held: [] };
  }
  if (outcome.kind !== "answered") return { again: [...pending], doubtful: [], held: [] };
  const again: Pending[] = [];
  const doubtful: Pending[] = [];
  const held: Held[] = [];
  settled.took += outcome.answer.took;
  for (const [index, one] of pending.entries()) {
    const item = outcome.answer.items[index] as ItemResult;
    const { draft } = one.sending;
    const blocked = blockOf(item);
    if (blocked !== undefined) held.push({ one, item, index: blocked });
    else if (item.status === 429) again.push({ ...one, last: item });
    else if (item.status === 409 && one.suspect) doubtful.push({ ...one, last: item });
    else if (item.status === 409 && draft.guard && !draft.operation.guard) settled.conflicts.push({ draft, item });
    else record(writing, draft, item, settled);
  }
  return { again, doubtful, held };
}

/** An operation that a write block refused. */
interface Held {
  one: Pending;
  item: ItemResult;
  index: string;
}

/** Records an outcome, unless another index than the target stored or refused the operation. */
function record({ target }: Writing, draft: Draft, item: ItemResult, { results, replaced }: Settled): void {
  const { operation } = draft;
  const isOfAnother = target.mappings.length > 0 && item.index !== undefined && item.index !== target.itemIndex;
  const isEmbedded = operation.op !== "delete" && (!item.failed || item.status === 400);
  if (isOfAnother && isEmbedded) replaced.push({ draft, item });
  else results.set(operation, item);
}

function blockOf({ status, text }: ItemResult): string | undefined {
  return status === 403
    ? blockedIndex((JSON.parse(text) as { error: { type: string; reason: string } }).error)
    : undefined;
}

/**
 * Waits while a rebuild blocks writes. Afterwards the name may stand for another index, in which guards have no
 * meaning: embeddings are computed again, and the caller's own guards fail.
 */
async function waitForHold(writing: Writing, held: readonly Held[], settled: Settled): Promise<void> {
  const [first] = held;
  if (!first) return;
  const resumes = await writing.holds.retry(first.index);
  for (const { one, item } of held) {
    const { draft } = one.sending;
    if (!resumes) settled.results.set(draft.operation, item);
    else if (draft.operation.guard) settled.results.set(draft.operation, conflict(writing, draft));
    else if (draft.guard) settled.conflicts.push({ draft, item });
    else settled.replaced.push({ draft, item });
  }
}

/** Compares operations with the stored documents. Settles those that were written and returns the others to resend. */
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
    const found = compared?.[index] ?? { kind: "unknown" };
    switch (found.kind) {
      case "done":
        record(writing, draft, { ...found.item, unproven: draft.guard === undefined }, settled);
        break;
      case "again":
        again.push(one);
        break;
      case "changed":
        settled.conflicts.push({ draft, item: one.last ?? conflict(writing, draft) });
        break;
      case "unknown":
        settled.unknown.push(draft.operation);
    }
  }
  return again;
}

/** Sends a body that exceeds the cluster's HTTP limit in two halves. A single operation over the limit fails. */
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

/** Settles the remaining operations when attempts or time have run out. */
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

/** Settles an attempt that wrote nothing. If the answer to an earlier attempt was lost, the outcome is unknown. */
function giveUp(pending: readonly Pending[], error: ApiError, settled: Settled): void {
  const operations: Operation[] = [];
  for (const { sending, suspect } of pending) {
    (suspect ? settled.unknown : operations).push(sending.draft.operation);
  }
  if (operations.length > 0) settled.unsent.push({ operations, error });
}

function conflict({ target }: Writing, { operation }: Draft): ItemResult {
  return failedItem(target.itemIndex, operation, {
    status: 409,
    type: "version_conflict_engine_exception",
    reason: "the document was changed by someone else while it was being updated",
    retryable: true,
  });
}

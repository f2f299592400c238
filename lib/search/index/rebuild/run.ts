import { concurrently } from "../../../core/resilience/concurrently.ts";
import type { Hold } from "../../index-meta/index-meta.ts";
import { runIndex, targetAlias } from "../../index-meta/run-names.ts";
import { checkpointsOf } from "./checkpoints.ts";
import { type CopyWork, copyRange, removeDeleted, verifyRange } from "./copy.ts";
import type { Range } from "./documents.ts";
import { RunFailure } from "./failure.ts";
import { type Ledger, openLedger } from "./ledger.ts";
import { openRejects, type Rejects } from "./rejects.ts";
import { indices } from "./requests.ts";
import type { RunCalls } from "./run-calls.ts";
import { type HeldRecord, type RunRecord, readRecord, saveRecord, takeRun } from "./run-record.ts";
import { countByBucket, countDocuments, refresh, shardMarks } from "./shards.ts";
import { aliases, hasSwitched, holdWrites, releaseLeftHolds, releaseWrites, switchAliases } from "./switch.ts";
import { nativeWriter, type WriteCopies } from "./write.ts";

export interface RunOptions {
  calls: RunCalls;
  id: string;
  /** Whether to put the new index in place when it has caught up. */
  thenSwitch: boolean;
  /** The longest that writes to the old index are held, in milliseconds. */
  holdMs: number;
  /** Writes copies so that they are embedded anew, through an alias. Needed for runs that embed. */
  embeddingWriter?: (target: string, fields: readonly string[]) => WriteCopies;
  onProgress?: (record: RunRecord) => void;
  /** Buckets in progress at a time. */
  most?: number;
  now?: () => number;
}

/** Milliseconds before another hold, after one that a gateway may have ended: its request has ended by then. */
const CALM_MS = 60_000;

/** Attempts to switch before the run stops. */
const ATTEMPTS = 5;

/**
 * Works on a run until the new index has caught up and, if wanted, has taken the place of the old one. Takes the run over
 * from a process that was killed or still works on it: the cluster refuses that one's writes from then on. Throws
 * RunFailure, after which the run can be resumed.
 */
export async function workOn(options: RunOptions): Promise<RunRecord> {
  const { calls, id } = options;
  const held = await takeRun(
    calls,
    () => readRecord(calls, id),
    async (record) => {
      if (record.phase !== "copy" && record.phase !== "ready") {
        throw new RunFailure(`The run ${id} has ended: it is ${record.phase.replace("_", " ")}`);
      }
      await requireSource(calls, record);
      record.phase = "copy";
    },
  );
  const { record } = held;
  await shutOut(calls, record);
  if (await hasSwitched(calls, record)) {
    await aliases(calls, [{ remove: { index: record.target, alias: targetAlias(record) } }]);
    record.phase = "switched";
    record.switched_at = new Date().toISOString();
    await saveRecord(calls, held, new Date());
    return record;
  }
  const rescued = await releaseLeftHolds(calls, record);
  const ledger = await openLedger(calls, runIndex(id));
  const rejects = await openRejects(calls, runIndex(id));
  return createRun(options, held, ledger, rejects).work(rescued);
}

/** Makes this process the only one whose writes to the new index are accepted. */
async function shutOut(calls: RunCalls, record: RunRecord): Promise<void> {
  const { id, epoch, target } = record;
  const before = Array.from({ length: epoch - 1 }, (_, index) => targetAlias({ id, epoch: index + 1 }));
  for (const alias of before.slice(-3)) await aliases(calls, [{ remove: { index: target, alias } }], [404]);
  await aliases(calls, [{ add: { index: target, alias: targetAlias(record) } }]);
}

/** Throws RunFailure unless the old index is the one that the run began with: sequence numbers start over in another. */
async function requireSource(calls: RunCalls, { id, source, source_uuid, target }: RunRecord): Promise<void> {
  for (const index of [source, target]) {
    const request = indices.getSettings({ index, flat_settings: true });
    const answer = (await calls.json(request, [404])) as Record<string, { settings?: object }>;
    const settings = (answer[index]?.settings ?? {}) as Record<string, string>;
    const fits = index === source ? settings["index.uuid"] === source_uuid : settings["index.uuid"] !== undefined;
    if (!fits) throw new RunFailure(`${index} was deleted or replaced since the run began: cancel the run ${id}`);
  }
}

function createRun(options: RunOptions, held: HeldRecord, ledger: Ledger, rejects: Rejects) {
  const { calls, onProgress, thenSwitch, holdMs, most = 8, now = () => performance.now(), embeddingWriter } = options;
  const { record } = held;
  const { source, target, width, tally } = record;
  const alias = targetAlias(record);
  const writer = record.embed ? embeddingWriter?.(alias, record.embedding_fields) : nativeWriter(calls, alias);
  if (!writer) throw new RunFailure("This run embeds documents, for which it needs the gateway");
  const work: CopyWork = {
    calls,
    source,
    target,
    targetAlias: alias,
    ledger,
    write: writer,
    width,
    leftOut: record.embed ? record.embedding_fields : [],
    tally,
    onRejected: rejects.add,
  };

  const { save, saveIfDue } = checkpointsOf(calls, held, onProgress, now);

  /** Copies, verifies and sweeps up to the given marks. `check` throws when time is up. */
  async function pass(marks: ReadonlyArray<{ shard: number; mark: number }>, check: () => void): Promise<void> {
    for (const { shard, mark } of marks) {
      record.shards[shard] ??= { mark: -1, copied: -1, verified: -1 };
      record.shards[shard].mark = Math.max(mark, record.shards[shard].mark);
    }
    await save();
    await refresh(calls, source);
    await advance("copied", (range) => copyRange(work, range), check);
    await rejects.retry(work);
    await refresh(calls, target);
    await advance("verified", (range) => verifyRange(work, range, rejects.ids()), check);
    await sweep(check);
    record.passes += 1;
    await save();
  }

  /** Runs a step on each bucket between what is done and the marks, and records how far everything is done. */
  async function advance(done: "copied" | "verified", step: (range: Range) => Promise<void>, check: () => void) {
    const todo = Object.entries(record.shards).flatMap(([shard, state]) =>
      rangesOf(Number(shard), state[done], state.mark),
    );
    for (const state of Object.values(record.shards)) delete state.ahead;
    const open = new Map<number, Set<Range>>();
    for (const range of todo) open.set(range.shard, (open.get(range.shard) ?? new Set()).add(range));
    await concurrently(todo, most, async (range) => {
      check();
      await step(range);
      const left = open.get(range.shard) ?? new Set();
      left.delete(range);
      const [first] = left;
      const state = record.shards[range.shard];
      if (state) {
        state[done] = first ? first.from - 1 : state.mark;
        state.ahead = [...left].reduce((rest, { from, to }) => rest - (to - from + 1), state.mark - state[done]);
      }
      await saveIfDue();
    });
    for (const state of Object.values(record.shards)) state[done] = state.mark;
  }

  function rangesOf(shard: number, done: number, mark: number): Range[] {
    const ranges: Range[] = [];
    for (let from = done + 1; from <= mark; ) {
      const to = Math.min(mark, (Math.floor(from / width) + 1) * width - 1);
      ranges.push({ shard, from, to });
      from = to + 1;
    }
    return ranges;
  }

  /** Deletes the copies of deleted documents in the buckets that have fewer documents than recorded. */
  async function sweep(check: () => void): Promise<void> {
    await refresh(calls, source);
    for (const [key, { copied }] of Object.entries(record.shards)) {
      const shard = Number(key);
      const live = await countByBucket(calls, source, { shard, to: copied, width });
      const shrunk = ledger.buckets(shard).filter((bucket) => ledger.count(shard, bucket) > (live.get(bucket) ?? 0));
      await concurrently(shrunk, most, async (bucket) => {
        check();
        await removeDeleted(work, { shard, bucket, copied });
      });
    }
  }

  async function stablePass(): Promise<void> {
    const marks = await shardMarks(calls, source);
    await pass(
      marks.map(({ shard, globalCheckpoint }) => ({ shard, mark: globalCheckpoint })),
      () => {},
    );
  }

  /**
   * Repeats passes until one takes less than a quarter of the time for which writes may be held, or no longer gets much
   * shorter than the one before.
   */
  async function catchUp(): Promise<void> {
    for (let before = Number.POSITIVE_INFINITY; ; ) {
      const started = now();
      await stablePass();
      const took = now() - started;
      if (took < holdMs / 4 || took > before * 0.7) return;
      before = took;
    }
  }

  /** Returns why the new index cannot take over, or undefined if it has. */
  async function trySwitch(): Promise<{ reason: string; rescued: boolean } | undefined> {
    const started = now();
    const { hold, blocked } = await holdWrites(calls, record, Date.now() + holdMs);
    let reason: string;
    try {
      reason = blocked ? await finish(hold, started) : `not every shard of ${source} has blocked writes in time`;
      if (reason === "") return undefined;
    } catch (error) {
      if (!(error instanceof OutOfTime)) {
        await releaseWrites(calls.unstopped, record, hold);
        throw error;
      }
      reason = error.message;
    }
    return { reason, rescued: await releaseWrites(calls, record, hold) };
  }

  async function finish(hold: Hold, started: number): Promise<string> {
    const check = () => {
      if (now() - started > holdMs * 0.8) throw new OutOfTime(`the last pass took longer than ${holdMs * 0.8} ms`);
    };
    const marks = await settledMarks(check);
    await pass(marks, check);
    await refresh(calls, target);
    const [before, after] = [await countDocuments(calls, source), await countDocuments(calls, target)];
    if (before !== after) return `${source} has ${before} documents and ${target} has ${after}`;
    record.target_marks = (await shardMarks(calls, target)).map(({ last }) => last);
    await save();
    check();
    if (!(await switchAliases(calls, record, hold))) return "a gateway has ended the hold";
    record.phase = "switched";
    record.switched_at = new Date().toISOString();
    await save();
    return "";
  }

  /** Returns the last sequence number of each shard, when all copies have it. */
  async function settledMarks(check: () => void): Promise<Array<{ shard: number; mark: number }>> {
    for (;;) {
      check();
      const marks = await shardMarks(calls, source);
      if (marks.every(({ globalCheckpoint, last }) => globalCheckpoint === last)) {
        return marks.map(({ shard, last }) => ({ shard, mark: last }));
      }
      await calls.wait(50);
    }
  }

  return {
    async work(rescued: boolean): Promise<RunRecord> {
      let calm = rescued;
      let reason = "";
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        await catchUp();
        if (rejects.ids().size > 0) {
          throw await stop(`${target} rejected ${rejects.ids().size} documents; \`relevance index status\` lists them`);
        }
        if (!thenSwitch) {
          record.phase = "ready";
          await save();
          return record;
        }
        await calls.json(indices.putSettings({ index: target, body: record.late_settings }));
        if (calm) await calls.wait(CALM_MS);
        const failed = await trySwitch();
        if (!failed) return record;
        ({ reason, rescued: calm } = failed);
      }
      throw await stop(`Tried ${ATTEMPTS} times to switch: ${reason}`);
    },
  };

  async function stop(message: string): Promise<RunFailure> {
    record.message = message;
    await save();
    return new RunFailure(message);
  }
}

/** Thrown inside a hold when too little of its time is left. */
class OutOfTime extends Error {}

import { concurrently } from "../../../platform/resilience/concurrently.ts";
import type { Checkpoints } from "./checkpoints.ts";
import { type CopyWork, copyRange, removeDeleted, verifyRange } from "./copy.ts";
import type { Range } from "./documents.ts";
import type { Rejects } from "./rejects.ts";
import type { RunRecord } from "./run-record.ts";
import { countByBucket, refresh } from "./shards.ts";

/** The sequence number up to which a shard of the old index is to be copied. */
export interface Mark {
  shard: number;
  mark: number;
}

/** Throws when time has run out. */
type Check = () => void;

/** Copies, verifies and sweeps changes of the old index, in repeated passes. */
export class Passes {
  readonly #work: CopyWork;
  readonly #record: RunRecord;
  readonly #checkpoints: Checkpoints;
  readonly #rejects: Rejects;
  /** Buckets in progress at a time. */
  readonly #most: number;

  constructor(work: CopyWork, record: RunRecord, checkpoints: Checkpoints, rejects: Rejects, most: number) {
    this.#work = work;
    this.#record = record;
    this.#checkpoints = checkpoints;
    this.#rejects = rejects;
    this.#most = most;
  }

  /** Copies, verifies and sweeps up to the given marks. */
  async run(marks: readonly Mark[], check: Check = () => {}): Promise<void> {
    const { calls, source, target } = this.#work;
    const { shards } = this.#record;
    for (const { shard, mark } of marks) {
      shards[shard] ??= { mark: -1, copied: -1, verified: -1 };
      shards[shard].mark = Math.max(mark, shards[shard].mark);
    }
    await this.#checkpoints.save();
    await refresh(calls, source);
    await this.#advance("copied", (range) => copyRange(this.#work, range), check);
    await this.#rejects.retry(this.#work);
    await refresh(calls, target);
    await this.#advance("verified", (range) => verifyRange(this.#work, range, this.#rejects.ids()), check);
    await this.#sweep(check);
    this.#record.passes += 1;
    await this.#checkpoints.save();
  }

  /**
   * Runs a step on each bucket with documents between the finished part and the marks, and records how far all buckets
   * are finished.
   */
  async #advance(done: "copied" | "verified", step: (range: Range) => Promise<void>, check: Check): Promise<void> {
    const { calls, source } = this.#work;
    const { shards, width } = this.#record;
    const todo: Range[] = [];
    for (const [key, state] of Object.entries(shards)) {
      const shard = Number(key);
      // Each update leaves an empty place, so beside writers most buckets can be empty.
      const live = await countByBucket(calls, source, { shard, from: state[done] + 1, to: state.mark, width });
      const ranges = rangesOf(shard, state[done], state.mark, width);
      todo.push(...ranges.filter(({ from }) => live.has(Math.floor(from / width))));
    }
    for (const state of Object.values(shards)) delete state.ahead;
    const open = new Map<number, Set<Range>>();
    for (const range of todo) open.set(range.shard, (open.get(range.shard) ?? new Set()).add(range));
    await concurrently(todo, this.#most, async (range) => {
      check();
      await step(range);
      const left = open.get(range.shard) ?? new Set();
      left.delete(range);
      const [first] = left;
      const state = shards[range.shard];
      if (state) {
        state[done] = first ? first.from - 1 : state.mark;
        state.ahead = [...left].reduce((rest, { from, to }) => rest - (to - from + 1), state.mark - state[done]);
      }
      await this.#checkpoints.saveIfDue();
    });
    for (const state of Object.values(shards)) state[done] = state.mark;
  }

  /** Deletes the copies of deleted documents in buckets that have fewer documents than recorded. */
  async #sweep(check: Check): Promise<void> {
    const { calls, source, ledger, width } = this.#work;
    await refresh(calls, source);
    for (const [key, { copied }] of Object.entries(this.#record.shards)) {
      const shard = Number(key);
      const live = await countByBucket(calls, source, { shard, to: copied, width });
      const shrunk = ledger.buckets(shard).filter((bucket) => ledger.count(shard, bucket) > (live.get(bucket) ?? 0));
      await concurrently(shrunk, this.#most, async (bucket) => {
        check();
        await removeDeleted(this.#work, { shard, bucket, copied });
      });
    }
  }
}

/** Returns the ranges of a shard from the finished part to a mark, one for each bucket. */
function rangesOf(shard: number, done: number, mark: number, width: number): Range[] {
  const ranges: Range[] = [];
  for (let from = done + 1; from <= mark; ) {
    const to = Math.min(mark, (Math.floor(from / width) + 1) * width - 1);
    ranges.push({ shard, from, to });
    from = to + 1;
  }
  return ranges;
}

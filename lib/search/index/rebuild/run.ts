import { withMapped } from "../../../platform/json/slices.ts";
import { byteVectorJson } from "../../embeddings/byte-vector.ts";
import type { Hold } from "../../index-meta/index-meta.ts";
import { runIndex, targetAlias } from "../../index-meta/run-names.ts";
import { type Checkpoints, checkpointsOf } from "./checkpoints.ts";
import type { CopyWork } from "./copy.ts";
import { RunFailure } from "./failure.ts";
import { type Ledger, openLedger } from "./ledger.ts";
import { type Mark, Passes } from "./passes.ts";
import { openRejects, type Rejects } from "./rejects.ts";
import { indices } from "./requests.ts";
import type { RunCalls } from "./run-calls.ts";
import { type HeldRecord, type RunRecord, readRecord, saveRecord, takeRun } from "./run-record.ts";
import { countDocuments, refresh, shardMarks } from "./shards.ts";
import {
  aliases,
  hasSwitched,
  holdWrites,
  releaseLeftHolds,
  releaseWrites,
  requirePlace,
  switchAliases,
} from "./switch.ts";
import { nativeWriter, type WriteCopies } from "./write.ts";

export interface RunOptions {
  calls: RunCalls;
  id: string;
  /** Whether to switch to the new index after catching up. */
  thenSwitch: boolean;
  /** The longest time (ms) to block writes to the old index. */
  holdMs: number;
  /** Returns a writer through an alias that embeds documents again. Required for runs that embed. */
  embeddingWriter?: (alias: string, index: string) => WriteCopies;
  onProgress?: (record: RunRecord) => void;
  /** Buckets in progress at a time. */
  most: number;
  /** Replaced in tests so that no time passes. */
  now?: () => number;
}

/**
 * Milliseconds between a write block that a gateway may have lifted and the next one. The gateway's request has ended
 * by then.
 */
const CALM_MS = 60_000;

/** The longest wait (ms) for another run that is about to switch. */
const RIVAL_MS = 10_000;

/** Attempts to switch before the run stops. */
const ATTEMPTS = 5;

/** Time for waiting writes between two write blocks, as a share of a block's. */
const PAUSE = 0.25;

/** Remaining share of the work above which a write block counts as a failed attempt. */
const LEFT = 0.9;

/**
 * Works on a rebuild until the new index has caught up and, with `thenSwitch`, replaces the old one. Takes over the run
 * from a process that was killed or still works on it; the cluster refuses that process's writes from then on. Throws
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
  await requirePlace(calls, record);
  const rescued = await releaseLeftHolds(calls, record);
  const ledger = await openLedger(calls, runIndex(id));
  const rejects = await openRejects(calls, runIndex(id));
  const checkpoints = checkpointsOf(calls, held, options.onProgress, () => performance.now());
  const passes = new Passes(copyWork(options, record, ledger, rejects), record, checkpoints, rejects, options.most);
  return new Takeover(passes, { ...checkpoints, ...held }, rejects, options).run(rescued);
}

/** Returns the state and services for copying. Throws RunFailure if the run embeds and there is no gateway. */
function copyWork(
  { calls, embeddingWriter }: RunOptions,
  record: RunRecord,
  ledger: Ledger,
  rejects: Rejects,
): CopyWork {
  const { source, target, width, tally, embed, embedding_fields, to_bytes = [] } = record;
  const alias = targetAlias(record);
  const write = embed ? embeddingWriter?.(alias, target) : nativeWriter(calls, alias);
  if (!write) throw new RunFailure("This run embeds documents, for which it needs the gateway");
  const leftOut = embed ? embedding_fields : [];
  const converted = (text: string) => (to_bytes.length === 0 ? text : withMapped(text, to_bytes, byteVectorJson));
  const onRejected = rejects.add;
  return { calls, source, target, targetAlias: alias, ledger, write, width, leftOut, converted, tally, onRejected };
}

/** Makes this process the only one that can write to the new index. */
async function shutOut(calls: RunCalls, record: RunRecord): Promise<void> {
  const { id, epoch, target } = record;
  const before = Array.from({ length: epoch - 1 }, (_, index) => targetAlias({ id, epoch: index + 1 }));
  for (const alias of before.slice(-3)) await aliases(calls, [{ remove: { index: target, alias } }], [404]);
  await aliases(calls, [{ add: { index: target, alias: targetAlias(record) } }]);
}

/**
 * Throws RunFailure unless the old index is the one that the run began with: sequence numbers are not comparable with
 * another's.
 */
async function requireSource(calls: RunCalls, { id, source, source_uuid, target }: RunRecord): Promise<void> {
  for (const index of [source, target]) {
    const request = indices.getSettings({ index, flat_settings: true });
    const answer = (await calls.json(request, [404])) as Record<string, { settings?: object }>;
    const settings = (answer[index]?.settings ?? {}) as Record<string, string>;
    const fits = index === source ? settings["index.uuid"] === source_uuid : settings["index.uuid"] !== undefined;
    if (!fits) throw new RunFailure(`${index} was deleted or replaced since the run began: cancel the run ${id}`);
  }
}

/** Brings the new index up to date with the old one, and switches to it. */
class Takeover {
  readonly #passes: Passes;
  readonly #record: RunRecord;
  readonly #save: () => Promise<void>;
  readonly #rejects: Rejects;
  readonly #options: RunOptions;
  readonly #now: () => number;
  /** Changes to copy and to verify when writes were last blocked. */
  #left: number | undefined;

  constructor(passes: Passes, { save, record }: Checkpoints & HeldRecord, rejects: Rejects, options: RunOptions) {
    this.#passes = passes;
    this.#record = record;
    this.#save = save;
    this.#rejects = rejects;
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /**
   * Runs until the new index has caught up and, with `thenSwitch`, has replaced the old one. `calm`: whether to wait
   * before the first write block.
   */
  async run(calm: boolean): Promise<RunRecord> {
    const { calls, thenSwitch } = this.#options;
    const { target, late_settings } = this.#record;
    let failed: FailedSwitch = { reason: "", rescued: calm };
    for (let attempt = 0; attempt < ATTEMPTS; ) {
      // A pass without a block would let writers get ahead again.
      if (failed.left === undefined) await this.#catchUp();
      else await calls.wait(this.#options.holdMs * PAUSE);
      const rejected = this.#rejects.ids().size;
      if (rejected > 0) {
        throw await this.#stop(`${target} rejected ${rejected} documents; \`relevance index status\` lists them`);
      }
      if (!thenSwitch) return this.#ended("ready");
      await calls.json(indices.putSettings({ index: target, body: late_settings }));
      if (failed.rescued) await calls.wait(CALM_MS);
      const again = await this.#trySwitch();
      if (!again) return this.#record;
      const shrinks = again.left !== undefined && again.left < (failed.left ?? Number.POSITIVE_INFINITY) * LEFT;
      attempt += shrinks ? 0 : 1;
      failed = again;
    }
    throw await this.#stop(`Tried ${ATTEMPTS} times to switch: ${failed.reason}`);
  }

  /**
   * Repeats passes until one takes less than a quarter of the allowed write block, or is hardly shorter than the
   * previous one.
   */
  async #catchUp(): Promise<void> {
    for (let before = Number.POSITIVE_INFINITY; ; ) {
      const started = this.#now();
      const marks = await shardMarks(this.#options.calls, this.#record.source);
      await this.#passes.run(marks.map(({ shard, globalCheckpoint }) => ({ shard, mark: globalCheckpoint })));
      const took = this.#now() - started;
      if (took < this.#options.holdMs / 4 || took > before * 0.7) return;
      before = took;
    }
  }

  /** Tries to switch. Returns the reason if it could not; undefined if it has switched. */
  async #trySwitch(): Promise<FailedSwitch | undefined> {
    const { calls, holdMs } = this.#options;
    const started = this.#now();
    const held = await holdWrites(calls, this.#record, Date.now() + holdMs);
    if ("rival" in held) {
      await calls.wait(RIVAL_MS * Math.random());
      return { reason: `the run of ${held.rival} holds writes: resume or cancel it if it was stopped`, rescued: false };
    }
    const { hold, blocked } = held;
    let reason: string;
    let left: number | undefined;
    try {
      reason = blocked
        ? await this.#finish(hold, started)
        : `not every shard of ${this.#record.source} has blocked writes in time`;
      if (reason === "") return undefined;
    } catch (error) {
      if (!(error instanceof OutOfTime)) {
        await releaseWrites(calls.unstopped, this.#record, hold);
        throw error;
      }
      left = this.#left;
      reason = `${error.message}: writes come faster than they are copied. Write less until the switch, or raise --parallel`;
    }
    return { reason, left, rescued: await releaseWrites(calls, this.#record, hold) };
  }

  /**
   * Copies the rest while writes are blocked, and switches. Returns why it could not switch, or "". Throws OutOfTime.
   */
  async #finish(hold: Hold, started: number): Promise<string> {
    const { calls, holdMs } = this.#options;
    const { source, target } = this.#record;
    const check = () => {
      const limit = holdMs * 0.8;
      if (this.#now() - started > limit) throw new OutOfTime(`the last pass took longer than ${limit} ms`);
    };
    const marks = await this.#settledMarks(check);
    this.#left = marks.reduce((left, { shard, mark }) => {
      const { copied = -1, verified = -1 } = this.#record.shards[shard] ?? {};
      return left + (mark - copied) + (mark - verified);
    }, 0);
    await this.#passes.run(marks, check);
    await refresh(calls, target);
    const [before, after] = [await countDocuments(calls, source), await countDocuments(calls, target)];
    if (before !== after) return `${source} has ${before} documents and ${target} has ${after}`;
    this.#record.target_marks = (await shardMarks(calls, target)).map(({ last }) => last);
    await this.#save();
    check();
    if (!(await switchAliases(calls, this.#record, hold))) return "a gateway has ended the hold";
    this.#record.switched_at = new Date().toISOString();
    await this.#ended("switched");
    return "";
  }

  /** Returns the last sequence number of each shard, after all replicas have it. */
  async #settledMarks(check: () => void): Promise<Mark[]> {
    for (;;) {
      check();
      const marks = await shardMarks(this.#options.calls, this.#record.source);
      if (marks.every(({ globalCheckpoint, last }) => globalCheckpoint === last)) {
        return marks.map(({ shard, last }) => ({ shard, mark: last }));
      }
      await this.#options.calls.wait(50);
    }
  }

  async #ended(phase: "ready" | "switched"): Promise<RunRecord> {
    this.#record.phase = phase;
    await this.#save();
    return this.#record;
  }

  async #stop(message: string): Promise<RunFailure> {
    this.#record.message = message;
    await this.#save();
    return new RunFailure(message);
  }
}

interface FailedSwitch {
  reason: string;
  /** Whether a gateway has lifted the write block, or may have. */
  rescued: boolean;
  /** Changes to copy and to verify when writes were blocked, if the time of the block was too short for them. */
  left?: number | undefined;
}

/** Thrown when the write block is about to expire. */
class OutOfTime extends Error {}

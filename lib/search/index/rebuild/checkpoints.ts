import { RunFailure, TakenOver } from "./failure.ts";
import type { RunCalls } from "./run-calls.ts";
import { type AnyRecord, type HeldRecord, saveRecord } from "./run-record.ts";

/** Milliseconds between two checkpoints. */
const INTERVAL_MS = 1_000;

/** Saves the record of a run while several workers change it. */
export interface Checkpoints {
  save(): Promise<void>;
  /** Saves if the last checkpoint is at least a second old. */
  saveIfDue(): Promise<void>;
  /**
   * Saves the reason why the run stops, even after the caller's abort signal. Does nothing if another process has taken
   * over the run.
   */
  stopped(error: unknown): Promise<void>;
}

/**
 * Returns the checkpoints of a record. Saves run one after another, since each is conditional on the previous version.
 */
export function checkpointsOf<Kind extends AnyRecord>(
  calls: RunCalls,
  held: HeldRecord<Kind>,
  onProgress: ((record: Kind) => void) | undefined,
  now: () => number,
): Checkpoints {
  let saving: Promise<void> = Promise.resolve();
  let saved = now();
  const save = (through = calls) => {
    saved = now();
    saving = saving.then(async () => {
      await saveRecord(through, held, new Date());
      onProgress?.(held.record);
    });
    return saving;
  };
  return {
    save: () => save(),
    async saveIfDue() {
      if (now() - saved >= INTERVAL_MS) await save();
    },
    async stopped(error) {
      if (!(error instanceof RunFailure) || error instanceof TakenOver) return;
      held.record.message = error.message;
      await save(calls.unstopped);
    },
  };
}

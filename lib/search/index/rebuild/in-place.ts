import { eachConcurrently } from "../../../platform/resilience/concurrently.ts";
import { checkpointsOf } from "./checkpoints.ts";
import { RunFailure } from "./failure.ts";
import { type BackfillRecord, type ImportRecord, type ImportTally, TALLIED } from "./in-place-records.ts";
import type { RunCalls } from "./run-calls.ts";
import { type HeldRecord, takeRun } from "./run-record.ts";

/** Default number of parts in progress. */
export const MOST_PARTS = 8;

/** Services and limits of a run that changes an index in place. */
export interface WorkOptions<Kind> {
  calls: RunCalls;
  onProgress?: (record: Kind) => void;
  /** Parts in progress at a time. */
  most?: number;
  now?: () => number;
}

/** Takes over a run that has not ended. Throws RunFailure if it has, and what `check` throws. */
export function takeInPlace<Kind extends ImportRecord | BackfillRecord>(
  calls: RunCalls,
  read: () => Promise<HeldRecord<Kind>>,
  check: (record: Kind) => Promise<void> = async () => {},
): Promise<HeldRecord<Kind>> {
  return takeRun(calls, read, async (record) => {
    if (record.phase !== "copy") throw new RunFailure(`The run ${record.id} has ended: it is ${record.phase}`);
    await check(record);
  });
}

/** Works on all parts of a run with checkpoints in between, and then records that it is done. */
export async function workThrough<Kind extends ImportRecord | BackfillRecord, Part>(
  held: HeldRecord<Kind>,
  { calls, onProgress, most = MOST_PARTS, now = () => performance.now() }: WorkOptions<Kind>,
  parts: AsyncGenerator<Part>,
  work: (part: Part) => Promise<void>,
  finish: () => Promise<void> = async () => {},
): Promise<Kind> {
  const { record } = held;
  const checkpoints = checkpointsOf(calls, held, onProgress, now);
  try {
    await eachConcurrently(parts, most, async (part) => {
      await work(part);
      await checkpoints.saveIfDue();
    });
    await finish();
    record.phase = "done";
    await checkpoints.save();
    return record;
  } catch (error) {
    await checkpoints.stopped(error);
    throw error;
  }
}

/** Adds the counts of a part. */
export function addTo(tally: ImportTally, counts: ImportTally): void {
  for (const key of TALLIED) tally[key] += counts[key];
}

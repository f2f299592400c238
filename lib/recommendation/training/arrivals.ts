import type { ObjectStore } from "../../platform/aws/object-store.ts";
import { concurrently } from "../../platform/resilience/concurrently.ts";
import { sum } from "../../platform/sum.ts";
import { readFile, runKeys, sharedKeys, TRANSFERS } from "../etl/run-files.ts";
import { Counts, RunPlan } from "../etl/tasks.ts";

/** Returns how many lines ETL read for these days in a run, including rejected lines. */
export async function linesRead(run: string, days: readonly string[], store: ObjectStore): Promise<number> {
  const { groups } = await readFile(store, runKeys(run).plan, RunPlan);
  const folders = days.map(sharedKeys.groups);
  const wanted = groups.filter((group) => folders.some((folder) => group.startsWith(folder)));
  const read = await concurrently(wanted, TRANSFERS, (group) => readFile(store, group, Counts));
  return sum(read, ({ rows, rejected }) => rows + rejected);
}

/** How often ETL is repeated to wait for missing events. */
export const ARRIVAL_ATTEMPTS = 10;

/**
 * Decides what to do after ETL: train, wait for the missing events, or give up. ETL read `lines` of `accepted` events.
 */
export function afterEtl(input: {
  accepted: number;
  lines: number;
  attempts: number;
  acceptMissing: boolean;
}): { next: "train" } | { next: "wait"; missing: number } | { next: "stop"; message: string } {
  const { accepted, lines, attempts, acceptMissing } = input;
  const missing = Math.max(0, accepted - lines);
  if (missing === 0 || acceptMissing) return { next: "train" };
  if (attempts < ARRIVAL_ATTEMPTS) return { next: "wait", missing };
  const count = (value: number) => value.toLocaleString("en");
  return {
    next: "stop",
    message:
      `${count(accepted)} events were accepted, but only ${count(lines)} are in the bucket: ${count(missing)} are missing. ` +
      "Look below errors/ in the bucket for what could not be delivered, and whether objects below events/ were deleted. " +
      "To train without them: relevance train --accept-missing",
  };
}

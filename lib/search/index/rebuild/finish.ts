import { runIndex } from "../../index-meta/run-names.ts";
import type { DescribedIndex } from "./create.ts";
import { RunFailure } from "./failure.ts";
import { indices } from "./requests.ts";
import type { RunCalls } from "./run-calls.ts";
import { type HeldRecord, type RunRecord, readAnyRecord, readRecord, saveRecord } from "./run-record.ts";
import { shardMarks } from "./shards.ts";
import { behind, hasSwitched, releaseLeftHolds, switchBack, unblock } from "./switch.ts";

/** Returns the number of writes to the new index since the switch. A rollback loses them. */
export async function lostByRollback(calls: RunCalls, id: string): Promise<number> {
  const { record } = await switchedRun(calls, id);
  const marks = await shardMarks(calls, record.target);
  return marks.reduce((lost, { shard, last }) => lost + last - (record.target_marks?.[shard] ?? -1), 0);
}

/** Moves all aliases back to the old index, and blocks writes to the new one. */
export async function rollBack(calls: RunCalls, id: string): Promise<RunRecord> {
  const held = await switchedRun(calls, id);
  await switchBack(calls, held.record);
  await calls.json(indices.addBlock({ index: held.record.target, block: "write" }));
  held.record.phase = "rolled_back";
  await saveRecord(calls, held, new Date());
  return held.record;
}

async function switchedRun(calls: RunCalls, id: string): Promise<HeldRecord> {
  const held = await readRecord(calls, id);
  const { phase, name, source, source_uuid } = held.record;
  if (phase !== "switched") throw new RunFailure(`The run ${id} has not switched, so there is nothing to put back`);
  if (name === source) throw new RunFailure(`The old index ${source} was deleted by the switch`);
  const request = indices.getSettings({ index: source, flat_settings: true });
  const found = (await calls.json(request, [404])) as Record<string, Pick<DescribedIndex, "settings">>;
  if (found[source]?.settings?.["index.uuid"] !== source_uuid) throw new RunFailure(`The old index ${source} is gone`);
  return held;
}

/**
 * Cancels a run. For a rebuild, deletes its new index, which ends the writes of a process still working on it. For
 * other runs, written documents stay. For a run that has ended, deletes its records. Returns a message for the user.
 */
export async function cancelRun(calls: RunCalls, id: string, forget: boolean): Promise<string> {
  const held = await readAnyRecord(calls, id);
  const { record } = held;
  if (record.kind !== "rebuild" && record.phase === "copy") {
    record.phase = "cancelled";
    record.epoch += 1;
    await saveRecord(calls, held, new Date());
    if (!forget) return `Cancelled ${id}. What it has written to ${record.name} stays.`;
  } else if (record.kind === "rebuild" && (record.phase === "copy" || record.phase === "ready")) {
    // From now on the cluster refuses a process that works on the run, so it cannot switch before the index is deleted.
    record.phase = "cancelled";
    record.epoch += 1;
    await saveRecord(calls, held, new Date());
    await releaseLeftHolds(calls, record);
    if (await hasSwitched(calls, record)) {
      record.phase = "switched";
      await saveRecord(calls, held, new Date());
      throw new RunFailure(`The run ${id} has switched already: put the old index back with index switch --back`);
    }
    await calls.json(indices.delete({ index: record.target }), [404]);
    // If another run has switched, the old index stays blocked.
    if ((await behind(calls, record.name)).includes(record.source)) await unblock(calls, record.source);
    if (!forget) return `Cancelled ${id} and deleted ${record.target}.`;
  } else if (!forget) {
    throw new RunFailure(`The run ${id} has ended (${record.phase.replace("_", " ")}): --forget deletes its records`);
  }
  await calls.json(indices.delete({ index: runIndex(id) }), [404]);
  return `Deleted the records of ${id}.`;
}

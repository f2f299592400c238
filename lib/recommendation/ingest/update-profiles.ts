import { reasonOf } from "../../aws/errors.ts";
import type { Degradation } from "../../core/http/degradation.ts";
import type { Call, JsonCall, Reply } from "../../core/http/event.ts";
import { deadlineWithin } from "../../core/resilience/deadline.ts";
import { ID_COLUMNS, type Profile, type ProfileDataset, profileParser } from "../records/profile.ts";
import { logFailure } from "../service/reply.ts";
import type { RecommendationServices } from "../service/services.ts";
import { isTrained, notStored, readRecords, realtimeDegradation, uploadReply } from "./batch.ts";

/**
 * POST /update-items and /update-users: each record replaces the one of its id. Of one id the last valid record of a
 * request wins; the earlier ones share its fate.
 */
export function updateProfiles(services: RecommendationServices, dataset: ProfileDataset) {
  const parse = profileParser(dataset, services.settings.definitions);
  const idOf = (record: Profile) => String(record[ID_COLUMNS[dataset]]);

  return async (call: JsonCall<unknown>, values: readonly unknown[]): Promise<Reply> => {
    const { taken, rejected } = readRecords(values, parse);
    const last = new Map(taken.map(({ record }) => [idOf(record), record]));
    const unwritten = await services.records.write(dataset, [...last.values()], call.deadline);
    for (const { index, record } of taken) {
      const reason = unwritten.get(idOf(record));
      if (reason !== undefined) rejected.push(notStored(index, idOf(record), reason));
    }
    const written = [...last.keys()].filter((id) => !unwritten.has(id));
    const degraded = written.length > 0 ? await announce(services, dataset, written, call) : [];
    return uploadReply(services, call, values.length, rejected, degraded);
  };
}

/** Hands the ids to realtime-sync once something is trained. */
async function announce(
  services: RecommendationServices,
  dataset: ProfileDataset,
  ids: readonly string[],
  call: Call,
): Promise<Degradation[]> {
  const target = `${dataset}s`;
  try {
    if (!(await isTrained(services, call))) return [];
    const deadline = deadlineWithin(services.settings.timeouts.realtime_ms, call.deadline);
    const failed = await services.changes(dataset, ids, deadline);
    return failed ? [realtimeDegradation(target, `${failed.count} of ${ids.length} ${target}: ${failed.reason}`)] : [];
  } catch (error) {
    logFailure(services, call, "the real-time path failed", error);
    return [realtimeDegradation(target, reasonOf("the parameter store", error))];
  }
}

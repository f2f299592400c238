import { reasonOf } from "../../aws/errors.ts";
import type { Degradation } from "../../core/http/degradation.ts";
import type { Call, JsonCall, Reply } from "../../core/http/event.ts";
import { deadlineWithin } from "../../core/resilience/deadline.ts";
import { type Profile, type ProfileDataset, profileParser } from "../records/profile.ts";
import { ID_COLUMNS } from "../records/tables.ts";
import { logFailure } from "../service/reply.ts";
import type { RecommendationServices } from "../service/services.ts";
import { isTrained, readRecords, realtimeDegradation, type UnstoredRecord, uploadReply } from "./batch.ts";

/**
 * POST /update-items and /update-users: replaces the record with the same id. If a request has several valid records
 * with the same id, only the last one is stored, and the others are accepted or rejected with it.
 */
export function updateProfiles(services: RecommendationServices, dataset: ProfileDataset) {
  const parse = profileParser(dataset, services.settings.definitions);
  const idOf = (record: Profile) => String(record[ID_COLUMNS[dataset]]);

  return async (call: JsonCall<unknown>, values: readonly unknown[]): Promise<Reply> => {
    const { taken, invalid } = readRecords(values, parse);
    const last = new Map(taken.map(({ record }) => [idOf(record), record]));
    const unwritten = await services.records.write(dataset, [...last.values()], call.deadline);
    const unstored = taken.flatMap(({ index, record }): UnstoredRecord[] => {
      const failure = unwritten.get(idOf(record));
      return failure === undefined ? [] : [{ index, id: idOf(record), failure }];
    });
    const written = [...last.keys()].filter((id) => !unwritten.has(id));
    const degraded = written.length > 0 ? await announce(services, dataset, written, call) : [];
    return uploadReply(services, call, values.length, { invalid, unstored, degraded });
  };
}

/** Sends the ids to realtime-sync if a campaign is active. */
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
    if (!failed) return [];
    logFailure(services, call, `${failed.count} of ${ids.length} changed ${target} were not passed on`, failed.cause);
    return [realtimeDegradation(target, `${failed.count} of ${ids.length} ${target}: ${failed.reason}`)];
  } catch (error) {
    logFailure(services, call, "the real-time path failed", error);
    return [realtimeDegradation(target, reasonOf("the parameter store", error))];
  }
}

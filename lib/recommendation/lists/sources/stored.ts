import { reasonOf } from "../../../platform/aws/errors.ts";
import { ApiError } from "../../../platform/http/error.ts";
import type { FallbackList } from "../../../settings/placements.ts";
import { withoutStop } from "../candidates/ask-campaign.ts";
import { nothing, type Source } from "../candidates/candidates.ts";
import { type LocalFilter, tested } from "../candidates/local-filter.ts";
import { type ListRequest, report } from "../candidates/request.ts";
import { STAGES } from "../candidates/stages.ts";
import { STORED_LISTS, type StoredList } from "./table.ts";

/**
 * Returns the source of a stored list, to which the placement's own filters apply. If the list cannot be read or a
 * filter cannot be applied, the source is empty and `degraded` says why.
 */
export function storedSource(request: ListRequest, list: FallbackList, filter: LocalFilter | undefined): Source {
  // The table maps each name to the list of that name, which TypeScript cannot see.
  const { upstream, read, testOf } = STORED_LISTS[list.list] as StoredList<FallbackList>;
  const failedWith = (what: string) => (error: unknown) => {
    const reason = error instanceof ApiError ? withoutStop(error.message) : reasonOf(what, error);
    const failure = { stage: STAGES.fallback, target: list.list, reason };
    report(request, failure, `the fallback ${list.list} failed`, error);
  };
  async function* batches() {
    try {
      yield (await read(request, list)) ?? [];
    } catch (error) {
      failedWith(upstream)(error);
    }
  }
  return {
    originOf: () => list.list,
    async open() {
      const test = await testOf?.(request, list, failedWith("the item store"));
      if (testOf && !test) return { batches: nothing() };
      const { passes, ...opened } = await tested(request, batches(), filter, failedWith("the filter"));
      if (!test) return { ...opened, passes };
      return { ...opened, passes: (id, record) => test(id, record) && passes?.(id, record) !== false };
    },
  };
}

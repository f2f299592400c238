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
 * Returns the source of a stored list, to which the placement's own filters apply. If it cannot be read, or a filter not be
 * applied, the source is empty and the answer says why.
 */
export function storedSource(request: ListRequest, list: FallbackList, filter: LocalFilter | undefined): Source {
  // The entry of the table is for lists of this name.
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

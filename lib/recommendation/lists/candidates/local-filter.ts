import { once } from "../../../platform/resilience/once.ts";
import { nothing, type Opened, type Test } from "./candidates.ts";
import { type FilterChoice, ownFilter } from "./filter-choice.ts";
import type { ListRequest } from "./request.ts";

/**
 * A filter that this service applies itself: Personalize applies only one filter to a call, and none to the lists of
 * the fallback chain. Reads the visitor's record on first use. Rejects if it cannot be read.
 */
export type LocalFilter = () => Promise<{ passes: Test }>;

/** Returns a filter of the placement, applied to the visitor and to the first item of the page. */
export function localFilter(
  { services, call, userId, seeds, seedRecords }: ListRequest,
  choice: FilterChoice,
): LocalFilter {
  return once(async () => {
    const [first] = seeds;
    const item = first === undefined ? undefined : (await seedRecords()).records.get(first);
    return ownFilter(services, choice, { ...(userId !== undefined && { userId }), item }, call.deadline);
  });
}

/** Returns a filter that passes what both filters pass. */
export function bothFilters(one: LocalFilter, other: LocalFilter | undefined): LocalFilter {
  if (!other) return one;
  return async () => {
    const [a, b] = await Promise.all([one(), other()]);
    return { passes: (id, record) => a.passes(id, record) && b.passes(id, record) };
  };
}

/**
 * Returns the ids with the test of a filter; none if the filter cannot be applied. Throws the reason if the caller
 * chose the filter.
 */
export async function tested(
  { isCallersFilter }: Pick<ListRequest, "isCallersFilter">,
  batches: Opened["batches"],
  filter: LocalFilter | undefined,
  report: (error: unknown) => void,
): Promise<Opened> {
  try {
    return { batches, passes: (await filter?.())?.passes };
  } catch (error) {
    if (isCallersFilter) throw error;
    report(error);
    return { batches: nothing() };
  }
}

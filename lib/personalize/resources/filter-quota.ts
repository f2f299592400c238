import { FILTER_LIMITS } from "../limits.ts";

/** Why a filter finds no room, and the way out. */
export function filterQuotaText(present: readonly string[]): string {
  return (
    `The dataset group has ${present.length} filters, and Personalize takes ${FILTER_LIMITS.filtersPerGroup}: ${present.join(", ")}. ` +
    "A changed expression is a new filter beside the old one until it is ACTIVE, so changing one needs a free place: " +
    "take a filter out of filter.yaml and deploy, then change the other and put it back, or have the quota raised"
  );
}

/**
 * What keeps a plan from being applied: the filters that are there and the ones to be created would be more than
 * Personalize takes at the same time, since new ones come before old ones go. Undefined when there is room.
 */
export function filterQuotaProblem(present: readonly string[], wanted: readonly string[]): string | undefined {
  const atOnce = new Set([...present, ...wanted]);
  if (atOnce.size <= FILTER_LIMITS.filtersPerGroup) return undefined;
  const created = wanted.filter((name) => !present.includes(name));
  return `There is no room for ${created.join(", ")} beside those. ${filterQuotaText(present)}`;
}

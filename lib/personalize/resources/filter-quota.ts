import { FILTER_LIMITS } from "../limits.ts";

/** Returns the text that explains the quota of filters and what to do about it. */
export function filterQuotaText(present: readonly string[], quota?: number): string {
  const takes = quota === undefined ? "takes no more" : `takes ${quota}`;
  return (
    `The dataset group has ${present.length} filters, and Personalize ${takes}: ${present.join(", ")}. ` +
    "A changed expression is a new filter beside the old one until it is ACTIVE, so changing one needs a free place: " +
    "take a filter out of filter.yaml and deploy, then change the other and put it back, or have the quota raised"
  );
}

/**
 * Returns why a plan cannot be applied: existing and new filters together exceed the quota. New filters are created
 * before old ones are deleted, so both count at the same time. Undefined if the quota, or else the usual one, allows them.
 */
export function filterQuotaProblem(
  present: readonly string[],
  wanted: readonly string[],
  quota: number = FILTER_LIMITS.filtersPerGroup,
): string | undefined {
  const atOnce = new Set([...present, ...wanted]);
  if (atOnce.size <= quota) return undefined;
  const created = wanted.filter((name) => !present.includes(name));
  return `There is no room for ${created.join(", ")} beside those. ${filterQuotaText(present, quota)}`;
}

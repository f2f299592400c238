import type { Deadline } from "../../core/resilience/deadline.ts";
import { SEEDS, suggest } from "../built-in/suggest.ts";
import { itemKey, userKey } from "../clients/built-in-table.ts";
import type { RecommendationServices } from "../service/services.ts";

/**
 * Returns the items of the same kind as a rare one, best first; none for other items. Throws if the table cannot be read.
 */
export async function ownKind(
  { builtIn }: Pick<RecommendationServices, "builtIn">,
  itemId: string,
  deadline: Deadline,
): Promise<readonly string[]> {
  const key = itemKey(itemId);
  const record = (await builtIn([key], deadline)).get(key);
  return record?.BY === "text" ? record.ITEMS : [];
}

/** Whom or what the built-in engine recommends for. */
export interface Occasion {
  userId?: string | undefined;
  /** The items of the page, or of the visitor's session, latest first. */
  itemIds: readonly string[];
}

/**
 * Returns what the built-in engine recommends, best first, never the items that it recommends for: the items like those of
 * the request and the last ones of the user, as of the last training. Empty if it knows none of them. Throws if the
 * table cannot be read.
 */
export async function suggestedItems(
  { builtIn }: Pick<RecommendationServices, "builtIn">,
  { userId, itemIds }: Occasion,
  deadline: Deadline,
): Promise<string[]> {
  const key = userId === undefined ? undefined : userKey(userId);
  const history = key === undefined ? [] : ((await builtIn([key], deadline)).get(key)?.ITEMS ?? []);
  const known = [...new Set([...itemIds, ...history])];
  const seeds = known.slice(0, SEEDS).map(itemKey);
  if (seeds.length === 0) return [];
  const found = await builtIn(seeds, deadline);
  const neighbours = seeds.flatMap((seed) => found.get(seed) ?? []);
  return suggest(
    neighbours.map(({ ITEMS, SCORES = [] }) => ({ items: ITEMS, scores: SCORES })),
    new Set(known),
  );
}

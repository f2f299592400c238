import type { Deadline } from "../../core/resilience/deadline.ts";
import { SEEDS, suggest } from "../built-in/suggest.ts";
import { type BuiltInRecord, itemKey, userKey } from "../clients/built-in-table.ts";
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

/** What the built-in engine recommends. */
interface Suggested {
  /** Best first. */
  itemIds: string[];
  /** The training that it follows from; undefined without items. */
  run: string | undefined;
  /** Returns the items, of those that may be named, that an item is recommended for: those that say most for it first. */
  because: (itemId: string, isNamed: (seed: string) => boolean) => string[];
}

/** The most items that an explanation names. */
const MAX_CAUSES = 3;

/**
 * Returns what the built-in engine recommends, best first, never the items that it recommends for: the items like those of
 * the request and the last ones of the user, as of the last training. Empty if it knows none of them. Throws if the
 * table cannot be read.
 */
export async function suggestedItems(
  { builtIn }: Pick<RecommendationServices, "builtIn">,
  { userId, itemIds }: Occasion,
  deadline: Deadline,
): Promise<Suggested> {
  const key = userId === undefined ? undefined : userKey(userId);
  const history = key === undefined ? [] : ((await builtIn([key], deadline)).get(key)?.ITEMS ?? []);
  const known = [...new Set([...itemIds, ...history])];
  const seeds = known.slice(0, SEEDS);
  const found = seeds.length > 0 ? await builtIn(seeds.map(itemKey), deadline) : new Map<string, BuiltInRecord>();
  const neighbours = seeds.flatMap((seed) => {
    const record = found.get(itemKey(seed));
    return record ? [{ seed, run: record.RUN, items: record.ITEMS, scores: record.SCORES ?? [] }] : [];
  });
  return {
    itemIds: suggest(neighbours, new Set(known)),
    run: neighbours[0]?.run,
    because: (itemId, isNamed) =>
      neighbours
        .filter(({ seed }) => isNamed(seed))
        .map(({ seed, items, scores }) => ({ seed, score: scores[items.indexOf(itemId)] ?? 0 }))
        .filter(({ score }) => score > 0)
        .sort((a, b) => b.score - a.score)
        .slice(0, MAX_CAUSES)
        .map(({ seed }) => seed),
  };
}

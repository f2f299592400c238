import type { Deadline } from "../../../platform/resilience/deadline.ts";
import { SEEDS, suggest } from "../../built-in/suggest.ts";
import {
  type BuiltInReader,
  type BuiltInRecord,
  itemKey,
  kindKey,
  moreKey,
  recentKey,
  userKey,
} from "../../clients/built-in-table.ts";

/** Returns text neighbours of a rare item, best first; none for other items. Throws if the table cannot be read. */
export async function ownKind(builtIn: BuiltInReader, itemId: string, deadline: Deadline): Promise<readonly string[]> {
  const key = kindKey(itemId);
  return (await builtIn([key], deadline)).get(key)?.ITEMS ?? [];
}

/** Input of the built-in engine: the items of a page, or a visitor with the session's items, latest first. */
type Occasion = { pageItemIds: readonly string[] } | { userId?: string | undefined; itemIds: readonly string[] };

/** Recommendations of the built-in engine. */
export interface Suggested {
  /** Best first. */
  itemIds: string[];
  /** The input items and all items of the user. No list of the engine contains these. */
  known: ReadonlySet<string>;
  /** The training run that produced the recommendations; undefined if there are none. */
  run: string | undefined;
  /**
   * Returns the input items that led to a recommendation, those that contributed most first. `isNamed` selects the
   * items that may be disclosed.
   */
  because: (itemId: string, isNamed: (seed: string) => boolean) => string[];
}

/** The most items that an explanation names. */
const MAX_CAUSES = 3;

/**
 * Returns the recommendations of the built-in engine, best first: items similar, as of the last training, to those of
 * the request and to the user's last ones, of which some may be later than the training. Input items and the user's items are left out. On a page, text neighbours
 * come first; for a user, they are used only if there are no neighbours by common users. Empty if the engine knows none
 * of the input. Throws if the table cannot be read.
 */
export async function suggestedItems(
  builtIn: BuiltInReader,
  occasion: Occasion,
  deadline: Deadline,
): Promise<Suggested> {
  const isPage = "pageItemIds" in occasion;
  const userId = isPage ? undefined : occasion.userId;
  const history = userId === undefined ? [] : await historyOf(builtIn, userId, deadline);
  const known = new Set([...(isPage ? occasion.pageItemIds : occasion.itemIds), ...history]);
  const seeds = [...known].slice(0, SEEDS);
  const read = async (...keysOf: ((seed: string) => string)[]) => {
    const keys = seeds.flatMap((seed) => keysOf.map((keyOf) => keyOf(seed)));
    const found = keys.length > 0 ? await builtIn(keys, deadline) : new Map<string, BuiltInRecord>();
    return seeds.flatMap((seed) => {
      const record = keysOf.flatMap((keyOf) => found.get(keyOf(seed)) ?? [])[0];
      return record ? [{ seed, run: record.RUN, items: record.ITEMS, scores: record.SCORES ?? [] }] : [];
    });
  };
  let neighbours = await (isPage ? read(kindKey, itemKey) : read(itemKey));
  let suggested = suggest(neighbours, known);
  if (suggested.length === 0 && !isPage) {
    neighbours = await read(kindKey);
    suggested = suggest(neighbours, known);
  }
  return {
    itemIds: suggested,
    known,
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

/** Returns all items of a user, latest first: those of events since the training, then those it read. */
async function historyOf(builtIn: BuiltInReader, userId: string, deadline: Deadline): Promise<string[]> {
  const [recent, trained] = [recentKey(userId), userKey(userId)];
  const first = await builtIn([recent, trained], deadline);
  const keys = Array.from({ length: first.get(trained)?.MORE ?? 0 }, (_, at) => moreKey(userId, at + 1));
  const more = keys.length > 0 ? await builtIn(keys, deadline) : first;
  return [recent, trained, ...keys].flatMap((key) => (first.get(key) ?? more.get(key))?.ITEMS ?? []);
}

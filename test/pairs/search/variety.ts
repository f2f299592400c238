import type { Finding, Hit } from "../compare.ts";
import { isOwnOrder, pageOf } from "./body.ts";
import type { SearchRow } from "./dimensions.ts";
import { DOCUMENTS } from "./documents.ts";

/** What a request of a case asks for: one hit of each genre comes first. */
export const VARIETY = { groups: { field: "genre", max: 1 } } as const;

const genreOf = (id: string) => DOCUMENTS.get(id)?.genre;

/** Whether hits are moved: the request asks for it, shows hits, and leaves the order to the gateway. */
export const isVaried = (row: SearchRow): boolean =>
  row.variety === "request" && pageOf(row).size > 0 && !isOwnOrder(row);

/** Whether an answer tells that hits are not moved although the request asks for it. */
export const isVarietyLost = (row: SearchRow): boolean =>
  row.variety === "request" && pageOf(row).size > 0 && !isVaried(row);

/**
 * Compares a page on which hits were moved: it has as many hits as the cluster's page, all from its list and each once, and
 * the first ones are of different genres, as far as the window has them.
 */
export function variedPage(list: readonly Hit[], got: readonly Hit[], row: SearchRow, window: number): Finding[] {
  const { from, size } = pageOf(row);
  const ids = got.map(({ _id = "" }) => _id);
  const expected = list.slice(from, from + size).length;
  const known = new Set(list.map(({ _id }) => _id));
  const genres = new Set(list.slice(0, window).map(({ _id = "" }) => genreOf(_id)));
  const first = from === 0 ? ids.slice(0, genres.size).map(genreOf) : [];
  const isWhole = ids.length === expected && new Set(ids).size === ids.length && ids.every((id) => known.has(id));
  if (isWhole && new Set(first).size === first.length) return [];
  return [{ what: "varied hits", expected: { hits: expected, genres: [...genres] }, got: { ids, first } }];
}

import type { SearchRow } from "./dimensions.ts";

/** The filter of the whole search by the place where a request has it. That beside the subqueries leaves out d0, which a rule pins. */
const FILTERS: Readonly<Record<SearchRow["filter"], object | undefined>> = {
  none: undefined,
  request: { range: { n: { lte: 30 } } },
  token: { range: { n: { lte: 25 } } },
  beside: { range: { n: { gte: 3 } } },
};

export const wholeFilter = ({ filter }: SearchRow): object | undefined => FILTERS[filter];

/** Returns a query as a person writes it who knows the filter. */
export function filtered(query: object, row: SearchRow): object {
  const filter = wholeFilter(row);
  // Vectors have it already, unless they are passages that the caller names.
  const isNear = "knn" in query || (row.entry !== "none" && JSON.stringify(query).includes('"knn"'));
  return filter && !isNear ? { bool: { must: [query], filter: [filter] } } : query;
}

/** Returns the filter of a vector: its own and that of the whole search. */
export function nearFilter(own: object | undefined, row: SearchRow): object | undefined {
  const all = [own ?? [], wholeFilter(row) ?? []].flat();
  return all.length > 1 ? { bool: { filter: all } } : all[0];
}

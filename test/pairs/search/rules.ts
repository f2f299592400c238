import type { Hit } from "../compare.ts";
import { pageOf } from "./body.ts";
import type { SearchRow } from "./dimensions.ts";

/** A document that passes every filter of every case, and its place. */
const PIN = { id: "d8", place: 3 };

const HIDDEN = ["d0", "d4", "d6"];
const FILTER = { range: { n: { gte: 2 } } };
const RAISED = { filter: { term: { genre: "desert" } }, by: 3 };

const EFFECTS: Readonly<Record<SearchRow["rules"], object | undefined>> = {
  none: undefined,
  pin: { pin: [PIN] },
  hide: { hide: { ids: HIDDEN } },
  filter: { filter: FILTER },
  boost: { boost: [RAISED] },
};

const BANNER = { banner: "Salt" };

/** Returns the rules of a case, which apply to its indexes, however they are named. */
export function rulesOf(start: string, row: SearchRow): object[] {
  const effects = EFFECTS[row.rules];
  if (!effects) return [];
  return [{ name: start, when: { indexes: [`${start}*`, `<${start}*`] }, effects: { ...effects, data: BANNER } }];
}

/** Returns what an answer says of the rules. */
export const toldRules = (start: string, { rules }: SearchRow): object[] | undefined =>
  rules === "none" ? undefined : [{ name: start, data: BANNER }];

/** Returns a query as a person writes it who knows the rule. */
export function ruled(query: object, { rules }: SearchRow): object {
  if (rules === "hide") return { bool: { must: [query], must_not: [{ ids: { values: HIDDEN } }] } };
  if (rules === "filter") return { bool: { must: [query], filter: [FILTER] } };
  if (rules !== "boost") return query;
  const functions = [{ filter: RAISED.filter, weight: RAISED.by }];
  return { function_score: { query, functions, score_mode: "multiply", boost_mode: "multiply" } };
}

/** Returns the filter of a vector: one that has a filter of its own gets that of a rule, too. */
export const ruledFilter = (filter: object, { rules }: SearchRow): object =>
  rules === "filter" ? { bool: { filter: [filter, FILTER] } } : filter;

const isOwnOrder = ({ sort, collapse, page }: SearchRow) =>
  sort !== "none" || collapse !== "no" || page === "search_after";

/** Whether a document is pinned: the search shows hits, and leaves the order to the gateway. */
export const isPinned = (row: SearchRow): boolean => row.rules === "pin" && pageOf(row).size > 0 && !isOwnOrder(row);

/**
 * Returns the whole list with the pinned document at its place. One that the search does not find, or finds behind the page,
 * has no score. Among hits of one score it may stand behind the page although the whole list has it before.
 */
export function pinnedList(
  list: readonly Hit[],
  got: readonly Hit[],
  { from, size }: ReturnType<typeof pageOf>,
): Hit[] {
  const isPin = ({ _id }: Hit) => _id === PIN.id;
  const found = list.find(isPin);
  const shown = got.find(isPin);
  // The oracle does not know what a hit shows that the cluster did not find: only its score.
  const last = list[Math.max(PIN.place, from + size) - 1];
  const isBehind = last !== undefined && (found?._score ?? 0) <= (last._score ?? 0) && shown?._score === 0;
  const pin = found && !isBehind ? found : { ...(shown ?? { _id: PIN.id }), _score: 0 };
  const others = list.filter((hit) => !isPin(hit));
  return [...others.slice(0, PIN.place - 1), pin, ...others.slice(PIN.place - 1)];
}

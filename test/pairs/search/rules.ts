import type { Hit } from "../compare.ts";
import { FAILING_WORD } from "../models.ts";
import { isOwnOrder, MISTYPED, pageOf, TEXT } from "./body.ts";
import type { SearchRow } from "./dimensions.ts";

/** A document that passes every filter of every case, and one that passes only those of aliases and indexes, with their places. */
const PINS = {
  pin: { id: "d8", place: 3 },
  pin_unfit: { id: "d0", place: 3 },
  pin_anyway: { id: "d0", place: 3, ignore_filters: true },
} as const;

const HIDDEN = ["d0", "d4", "d6"];
const FILTER = { range: { n: { gte: 2 } } };
const CHANGED = { filter: { term: { genre: "desert" } }, by: 3 };
const REPLACEMENT = "oasis well dune";

/** The segments that a request names, by the value of the dimension. */
export const SEGMENTS: Readonly<Record<SearchRow["segments"], readonly string[] | undefined>> = {
  none: undefined,
  named: ["b2b", "readers"],
  other: ["Readers"],
};

/** A text, which the dense model does not answer to if it is down. */
const worded = (text: string, { model }: SearchRow): string => (model === "down" ? `${text} ${FAILING_WORD}` : text);

/** What a caller types. */
export const textOf = (row: SearchRow): string => worded(row.no_hits === "no" ? TEXT : MISTYPED, row);

/** What is searched for: what a caller types, or what a rule or, if `isCorrected`, the answer puts in its place. */
export function searchedText(row: SearchRow, isCorrected = row.no_hits === "search"): string {
  if (effectOf(row) === "replace_text") return worded(REPLACEMENT, row);
  return isCorrected ? worded(TEXT, row) : textOf(row);
}

/** What the rules of a case do to its search: nothing if they are for others. */
const effectOf = ({ rules, segments }: SearchRow): SearchRow["rules"] => (segments === "other" ? "none" : rules);

const effectsOf = (row: SearchRow): Readonly<Record<SearchRow["rules"], object | undefined>> => ({
  none: undefined,
  pin: { pin: [PINS.pin] },
  pin_unfit: { pin: [PINS.pin_unfit] },
  pin_anyway: { pin: [PINS.pin_anyway] },
  hide: { hide: { ids: HIDDEN } },
  filter: { filter: FILTER },
  boost: { boost: [CHANGED] },
  bury: { bury: [CHANGED] },
  replace_text: { replace_text: worded(REPLACEMENT, row) },
});

const BANNER = { banner: "Salt" };

/** Returns the rules of a case, which apply to its indexes, however they are named. */
export function rulesOf(start: string, row: SearchRow): object[] {
  const effects = effectsOf(row)[row.rules];
  if (!effects) return [];
  const when = {
    indexes: [`${start}*`, `<${start}*`],
    ...(row.segments !== "none" && { segments: ["vip", "readers"] }),
  };
  return [{ name: start, when, effects: { ...effects, data: BANNER } }];
}

/** Whether rules replace the text of a search. */
export const isTextReplaced = (row: SearchRow): boolean => effectOf(row) === "replace_text";

/**
 * Whether a search has a place for another text: the first query of words, or a token of an embedding. The second template of
 * an experiment has words of its own in place of its first subquery.
 */
export function hasPlaceForText(row: SearchRow, hasEntry: boolean, variant: string | undefined): boolean {
  if (row.queries === "plain") return true;
  const isOther = row.experiment === "templates" && variant === "steep";
  const [first = "", ...others] = row.queries;
  const own = isOther ? others : [first, ...others];
  return (first === "K" && !isOther) || (hasEntry && own.some((kind) => "DSQ".includes(kind)));
}

/** Returns what an answer says of the rules; a text that has no place is not searched for. */
export function toldRules(start: string, row: SearchRow, isPlaced: boolean): object[] | undefined {
  if (effectOf(row) === "none") return undefined;
  return [{ name: start, ...(isTextReplaced(row) && isPlaced && { text: searchedText(row) }), data: BANNER }];
}

/** Returns a query as a person writes it who knows the rule. */
export function ruled(query: object, row: SearchRow): object {
  const effect = effectOf(row);
  if (effect === "hide") return { bool: { must: [query], must_not: [{ ids: { values: HIDDEN } }] } };
  if (effect === "filter") return { bool: { must: [query], filter: [FILTER] } };
  if (effect !== "boost" && effect !== "bury") return query;
  const functions = [{ filter: CHANGED.filter, weight: effect === "boost" ? CHANGED.by : 1 / CHANGED.by }];
  return { function_score: { query, functions, score_mode: "multiply", boost_mode: "multiply" } };
}

/** Returns the filter of a vector: one that has a filter of its own gets that of a rule, too. */
export const ruledFilter = (filter: object, row: SearchRow): object =>
  effectOf(row) === "filter" ? { bool: { filter: [filter, FILTER] } } : filter;

/** Returns the document that the rules of a case pin. */
function pinOf(row: SearchRow) {
  const effect = effectOf(row);
  // No pin ignores the filter of the whole search.
  if (effect === "pin_anyway" && row.filter === "beside") return undefined;
  return effect === "pin" || effect === "pin_unfit" || effect === "pin_anyway" ? PINS[effect] : undefined;
}

/**
 * Whether d0 passes all that does not score. Of the subqueries that have a condition it must pass that of one. `isLeftOut`:
 * the vector's is not searched.
 */
function passes(row: SearchRow, isLeftOut: boolean): boolean {
  if (row.filter === "beside" || row.post_filter === "yes") return false;
  const kinds = row.queries === "plain" ? ["K"] : [...row.queries];
  const conditions = kinds.flatMap((kind, at): boolean[] => {
    if (kind === "S") return [false];
    if (kind === "D" && !isLeftOut && row.knn_filter !== "none") return [row.knn_filter === "terms"];
    return kind === "K" && kinds.indexOf("K") === at && row.condition !== "none" ? [false] : [];
  });
  return conditions.length === 0 || conditions.includes(true);
}

/** Whether rules of a case pin a document. */
export const hasPin = (row: SearchRow): boolean => pinOf(row) !== undefined;

/** Whether a document is pinned: the search shows hits, and leaves the order to the gateway. */
export const isPinned = (row: SearchRow): boolean =>
  pinOf(row) !== undefined && pageOf(row).size > 0 && !isOwnOrder(row);

/**
 * Returns the whole list with the pinned document at its place. One that the search does not find, or finds behind the page,
 * has no score. Among hits of one score it may stand behind the page although the whole list has it before.
 */
export function pinnedList(list: readonly Hit[], got: readonly Hit[], row: SearchRow, isLeftOut: boolean): Hit[] {
  const { id, place } = pinOf(row) ?? PINS.pin;
  const { from, size } = pageOf(row);
  const isPin = ({ _id }: Hit) => _id === id;
  // A hit is pinned whatever it passes.
  const isHit = list.slice(0, Math.max(place, size)).some(isPin);
  if (effectOf(row) === "pin_unfit" && !isHit && !passes(row, isLeftOut)) return [...list];
  const found = list.find(isPin);
  const shown = got.find(isPin);
  // The oracle does not know what a hit shows that the cluster did not find: only its score.
  const last = list[Math.max(place, from + size) - 1];
  const isBehind = last !== undefined && (found?._score ?? 0) <= (last._score ?? 0) && shown?._score === 0;
  const pin = found && !isBehind ? found : { ...(shown ?? { _id: id }), _score: 0 };
  const others = list.filter((hit) => !isPin(hit));
  return [...others.slice(0, place - 1), pin, ...others.slice(place - 1)];
}

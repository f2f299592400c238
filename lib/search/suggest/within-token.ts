import type { SuggestionSource } from "../../platform/contract/search.ts";
import { isObject, isRawNumber } from "../../platform/json/values.ts";
import type { SuggestSettings } from "../gateway/settings.ts";

/** The suggestions that the filter of a token leaves. */
export interface SuggestionBounds {
  sources: SuggestionSource[];
  /** Native queries that titles match; undefined without a token's filter. */
  filters?: readonly object[];
  /** Whether titles are repeated with the values of filter_fields. */
  areRepeated: boolean;
  /** Sources that are left out, and why. */
  leftOut: Array<{ source: SuggestionSource; reason: string }>;
}

/**
 * Returns the sources that a caller may see, and the queries of stored values that titles match. Texts that others
 * searched for are not of documents, so the entry decides. A filter that has more than values of stored fields leaves no
 * titles.
 */
export function withinToken(
  { titles, searches }: SuggestSettings,
  sources: readonly SuggestionSource[],
  filters: readonly unknown[] | undefined,
): SuggestionBounds {
  const stored = titles?.filter_fields ?? [];
  const areRepeated = stored.length > 0;
  if (!filters) return { sources: [...sources], areRepeated, leftOut: [] };
  const values = filters.map((filter) => storedValues(filter, stored));
  const reasons: Readonly<Record<SuggestionSource, string | undefined>> = {
    searches: searches?.shared ? undefined : "suggest.searches.shared is not true, and the token has a filter",
    titles: values.every((one) => one !== undefined)
      ? undefined
      : "the filter of the token has more than values of suggest.titles.filter_fields",
  };
  return {
    sources: sources.filter((source) => reasons[source] === undefined),
    areRepeated,
    filters: values.map((one) => ({ terms: { values: one ?? [] } })),
    leftOut: sources.flatMap((source) => {
      const reason = reasons[source];
      return reason === undefined ? [] : [{ source, reason }];
    }),
  };
}

/** Returns the stored values of which a title needs one: of `term` and `terms` of a stored field. Else undefined. */
function storedValues(filter: unknown, stored: readonly string[]): string[] | undefined {
  const { term, terms } = isObject(filter) ? filter : {};
  const [[field = "", value] = [], ...others] = Object.entries(Object(term ?? terms)) as Array<[string, unknown]>;
  if (others.length > 0 || !stored.includes(field) || Object.keys(Object(filter)).length > 1) return undefined;
  const only = term !== undefined && isObject(value) && !isRawNumber(value) ? value.value : value;
  const list = terms === undefined ? [only] : [value].flat();
  return list.every((one) => isRawNumber(one) || !["object", "undefined"].includes(typeof one))
    ? list.map((one) => storedValue(field, one))
    : undefined;
}

/** Returns a field and its value as suggestions store them. */
export const storedValue = (field: string, value: unknown): string => `${field}=${JSON.stringify(value)}`;

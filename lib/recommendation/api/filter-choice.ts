import { ApiError, type Issue } from "../../core/http/error.ts";
import { invalidRequest } from "../../core/http/validate.ts";
import { parseFilter } from "../../personalize/filters/parser.ts";
import { FilterError } from "../../personalize/filters/tokens.ts";
import {
  type FilterValues,
  formatFilterValue,
  placeholderUses,
  requiredPlaceholders,
} from "../../personalize/filters/values.ts";
import { MAX_FILTER_VALUE, MAX_FILTER_VALUES } from "../../personalize/limits.ts";
import type { FilterSettings, RecommendationSettings } from "../service/settings.ts";

/** The filter that a request names, with the parsed values of its placeholders. */
export interface FilterChoice {
  filter: FilterSettings;
  values: FilterValues;
  /** The values in Personalize's notation. */
  formatted: Readonly<Record<string, string>>;
}

/** The filter fields of a request. */
export interface FilterFields {
  filter_name: string;
  filter_value_dict: Readonly<Record<string, string>>;
}

const pathOf = (name: string) => `filter_value_dict.${name}`;

/**
 * Parses the filter fields of a request. Returns undefined if the request has no filter. Throws `filter_not_found`, or
 * `invalid_request` for malformed values. Does not compare the values with the filter's placeholders: see
 * `checkPlaceholders`.
 */
export function chooseFilter(
  { filters }: Pick<RecommendationSettings, "filters">,
  { filter_name, filter_value_dict }: FilterFields,
): FilterChoice | undefined {
  const entries = Object.entries(filter_value_dict);
  if (filter_name === "") {
    if (entries.length === 0) return undefined;
    throw invalidRequest(
      entries.map(([name]) => ({ path: pathOf(name), message: "has a value, but filter_name is empty" })),
    );
  }
  const filter = filters.find(({ name }) => name === filter_name);
  if (!filter) throw filterNotFound(filter_name, filters);
  if (entries.length > MAX_FILTER_VALUES) {
    throw invalidRequest([{ path: "filter_value_dict", message: `must have at most ${MAX_FILTER_VALUES} entries` }]);
  }
  const issues: Issue[] = [];
  const values = new Map<string, readonly string[]>();
  const formatted = new Map<string, string>();
  for (const [name, text] of entries) {
    try {
      requireLength(text);
      const given = splitValues(text);
      const written = formatFilterValue(given);
      requireLength(written);
      values.set(name, given);
      formatted.set(name, written);
    } catch (error) {
      if (!(error instanceof FilterError)) throw error;
      issues.push({ path: pathOf(name), message: error.message });
    }
  }
  if (issues.length > 0) throw invalidRequest(issues);
  return { filter, values: Object.fromEntries(values), formatted: Object.fromEntries(formatted) };
}

function requireLength(text: string): void {
  if (text.length > MAX_FILTER_VALUE) {
    throw new FilterError(`must have at most ${MAX_FILTER_VALUE} characters, written as "a","b"`);
  }
}

/** Returns the error for a filter that is not configured or not yet created. */
export function filterNotFound(name: string, filters: readonly Pick<FilterSettings, "name">[]): ApiError {
  const known = filters.map((filter) => filter.name).join(", ") || "none";
  return new ApiError(
    "filter_not_found",
    `There is no filter ${JSON.stringify(name.slice(0, 100))}; there are: ${known}.`,
    { issues: [{ path: "filter_name", message: "is not the name of a filter" }] },
  );
}

/** Throws `invalid_request` with every placeholder that lacks a value, is unknown, or must be a number and is not. */
export function checkPlaceholders({ filter, values }: FilterChoice): void {
  const parsed = parseFilter(filter.expression);
  const uses = [...placeholderUses(parsed)];
  const known = new Set(uses.map(({ name }) => name));
  const single = new Set(uses.flatMap(({ name, isNumber }) => (isNumber ? [name] : [])));
  const issues: Issue[] = [];
  for (const name of requiredPlaceholders(parsed)) {
    if (!Object.hasOwn(values, name)) {
      issues.push({ path: pathOf(name), message: `is missing: the filter ${filter.name} needs a value for $${name}` });
    }
  }
  for (const [name, given] of Object.entries(values)) {
    if (!known.has(name)) {
      const names = known.size > 0 ? `it has ${[...known].join(", ")}` : "it has none";
      issues.push({ path: pathOf(name), message: `is not a placeholder of the filter ${filter.name}; ${names}` });
    } else if (single.has(name) && (given.length !== 1 || !Number.isFinite(Number(given[0])))) {
      issues.push({ path: pathOf(name), message: `must be one number, got ${JSON.stringify(given.join(","))}` });
    }
  }
  if (issues.length > 0) throw invalidRequest(issues);
}

/**
 * Matches one value up to the next comma, quoted or bare. Only the quoted alternative skips blanks, so no text matches
 * in two ways and matching takes linear time.
 */
const VALUE = /(?:\s*"([^"]*)"\s*|([^",]*))(,|$)/y;

/**
 * Splits a list such as `Fantasy,"Crime, cosy"` (two values). Ignores blanks around a value. Throws FilterError for a
 * quote that does not enclose a whole value, an empty value, or a control character.
 */
export function splitValues(text: string): string[] {
  if (/\p{Cc}/u.test(text)) throw new FilterError("must not contain a control character");
  const values: string[] = [];
  VALUE.lastIndex = 0;
  for (let more = true; more; ) {
    const start = VALUE.lastIndex;
    const match = VALUE.exec(text);
    if (!match) {
      throw new FilterError(
        `has a double quote that does not enclose a whole value, at character ${start + 1}: write "a, b",c`,
      );
    }
    const [, quoted, bare = "", end] = match;
    const value = quoted ?? bare.trim();
    if (value === "") throw new FilterError("has an empty value; omit the placeholder instead");
    values.push(value);
    more = end === ",";
  }
  return values;
}

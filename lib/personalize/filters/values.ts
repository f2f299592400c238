import type { Issue } from "../../platform/http/error.ts";
import { invalidRequest } from "../../platform/http/validate.ts";
import { MAX_FILTER_VALUE, MAX_FILTER_VALUES } from "../limits.ts";
import type { FilterValues } from "./evaluate.ts";
import { FilterError } from "./tokens.ts";

/**
 * Returns the values of a filter's placeholders, parsed and in Personalize's notation. Throws `invalid_request` for malformed
 * ones; `path` is where the request has them.
 */
export function readFilterValues(
  given: Readonly<Record<string, string>>,
  path: string,
): { values: FilterValues; formatted: Readonly<Record<string, string>> } {
  const entries = Object.entries(given);
  if (entries.length > MAX_FILTER_VALUES)
    throw invalidRequest([{ path, message: `must have at most ${MAX_FILTER_VALUES} entries` }]);
  const issues: Issue[] = [];
  const values = new Map<string, readonly string[]>();
  const formatted = new Map<string, string>();
  for (const [name, text] of entries) {
    try {
      requireLength(text);
      const parts = splitValues(text);
      const written = formatFilterValue(parts);
      requireLength(written);
      values.set(name, parts);
      formatted.set(name, written);
    } catch (error) {
      if (!(error instanceof FilterError)) throw error;
      issues.push({ path: `${path}.${name}`, message: error.message });
    }
  }
  if (issues.length > 0) throw invalidRequest(issues);
  return { values: Object.fromEntries(values), formatted: Object.fromEntries(formatted) };
}

function requireLength(text: string): void {
  if (text.length > MAX_FILTER_VALUE) {
    throw new FilterError(`must have at most ${MAX_FILTER_VALUE} characters, written as "a","b"`);
  }
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

/**
 * Formats the values of one placeholder for the runtime. Throws `FilterError` if there is no value, or if a value
 * contains a control character or a double quote (AWS does not document how to escape one).
 */
export function formatFilterValue(values: readonly string[]): string {
  if (values.length === 0) throw new FilterError("needs at least one value");
  for (const value of values) {
    if (value.includes('"')) throw new FilterError(`a value cannot hold a double quote, got ${JSON.stringify(value)}`);
    if (/\p{Cc}/u.test(value)) {
      throw new FilterError(`a value cannot hold a control character, got ${JSON.stringify(value)}`);
    }
  }
  return values.map((value) => `"${value}"`).join(",");
}

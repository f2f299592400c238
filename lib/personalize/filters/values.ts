import { everyCondition, type Filter, parseFilter } from "./parser.ts";
import { FilterError } from "./tokens.ts";

/** The values that a request gives its placeholders, by name without the dollar sign. */
export type FilterValues = Readonly<Record<string, readonly string[]>>;

const ONE_VALUE = /\s*(?:"([^"]*)"|(-?\d+(?:\.\d+)?))\s*(,|$)/y;

/** Returns the names of a filter's placeholders, without the dollar sign, in order of appearance. */
export function placeholders(filter: Filter | string): string[] {
  const parsed = typeof filter === "string" ? parseFilter(filter) : filter;
  return [...new Set([...placeholderUses(parsed)].map(({ name }) => name))];
}

/** Yields the uses of placeholders. `isNumber` tells whether one is compared as a number; `=` after IF compares text. */
export function* placeholderUses(filter: Filter): Generator<{ name: string; isNumber: boolean }> {
  for (const { condition, inIf } of everyCondition(filter)) {
    const { operator, operands } = condition;
    const isNumber = operator !== "IN" && operator !== "NOT IN" && !(inIf && operator === "=");
    for (const operand of operands) if (operand.kind === "placeholder") yield { name: operand.name, isNumber };
  }
}

/** Returns the placeholders that a request must fill: those of INCLUDE. Values for EXCLUDE are optional. */
export function requiredPlaceholders(filter: Filter): string[] {
  return placeholders({ clauses: filter.clauses.filter(({ verb }) => verb === "INCLUDE") });
}

/**
 * Parses `filterValues` of a runtime request: `{"GENRE": "\"Comedy\",\"Drama\""}` gives `{GENRE: ["Comedy", "Drama"]}`.
 * Numbers need no quotes. Throws `FilterError` with the name of a parameter that does not have this form.
 */
export function parseFilterValues(values: Readonly<Record<string, string>>): FilterValues {
  return Object.fromEntries(Object.entries(values).map(([name, text]) => [name, parseOne(name, text)]));
}

function parseOne(name: string, text: string): string[] {
  const found: string[] = [];
  let separator: string | undefined = ",";
  let position = 0;
  while (separator === ",") {
    ONE_VALUE.lastIndex = position;
    const match = ONE_VALUE.exec(text);
    const value = match?.[1] ?? match?.[2];
    if (value === undefined) {
      throw new FilterError(
        `the values of parameter ${name} are texts in double quotes, joined by commas, got ${JSON.stringify(text)}`,
      );
    }
    found.push(value);
    separator = match?.[3];
    position = ONE_VALUE.lastIndex;
  }
  return found;
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

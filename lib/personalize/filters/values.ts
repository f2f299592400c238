import { everyCondition, type Filter } from "./ast.ts";
import { FilterError } from "./filter-error.ts";
import { parseFilter } from "./parser.ts";

/** The values of a request's placeholders, by name without the dollar sign. */
export type FilterValues = Readonly<Record<string, readonly string[]>>;

const ONE_VALUE = /\s*(?:"([^"]*)"|(-?\d+(?:\.\d+)?))\s*(,|$)/y;

/** The names of a filter's placeholders, without the dollar sign, in order of appearance. */
export function placeholders(filter: Filter | string): string[] {
  const names = new Set<string>();
  for (const { condition } of everyCondition(typeof filter === "string" ? parseFilter(filter) : filter)) {
    for (const operand of condition.operands) if (operand.kind === "placeholder") names.add(operand.name);
  }
  return [...names];
}

/** The placeholders that a request has to fill: those of INCLUDE. Those of EXCLUDE alone may be left out. */
export function requiredPlaceholders(filter: Filter): string[] {
  return placeholders({ clauses: filter.clauses.filter(({ verb }) => verb === "INCLUDE") });
}

/**
 * Reads `filterValues` of a runtime request: `{"GENRE": "\"Comedy\",\"Drama\""}` gives `{GENRE: ["Comedy", "Drama"]}`.
 * A number may stand without quotes. Throws `FilterError` naming the parameter that is written otherwise.
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
 * Writes the values of one placeholder as the runtime reads them. Throws `FilterError` for what it cannot hold: no value
 * at all, a double quote (how to escape one is not documented) or a control character.
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

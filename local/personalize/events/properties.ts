import { camelCase, type DatasetSchema } from "../data/avro-schema.ts";
import { type Cell, parseProperty } from "../data/cell.ts";
import { invalid } from "../service-error.ts";

/** Parses the `properties` of an event, item or user: JSON with camelCase names. Throws InvalidInputException. */
export function readProperties(text: string | undefined, where: string): Record<string, unknown> {
  if (text === undefined) return {};
  let properties: unknown;
  try {
    properties = JSON.parse(text);
  } catch {
    throw invalid(`${where}: properties is not JSON.`);
  }
  if (typeof properties !== "object" || properties === null || Array.isArray(properties)) {
    throw invalid(`${where}: properties must be a JSON object.`);
  }
  return { ...properties };
}

/**
 * Builds a dataset row from properties, with `given` columns taking precedence. Columns of `given` that the schema
 * lacks are dropped, and columns in `lenient` may be missing. Throws InvalidInputException for a property that the
 * schema lacks or a value of the wrong type.
 */
export function toRow(
  schema: DatasetSchema,
  properties: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, Cell | undefined>>,
  where: string,
  lenient: readonly string[] = [],
): Record<string, Cell> {
  const columns = new Map(schema.fields.map((column) => [camelCase(column.name), column]));
  const unknown = Object.keys(properties).find((name) => !columns.has(name));
  if (unknown !== undefined) {
    throw invalid(`${where}: the schema has no ${unknown}; it has ${[...columns.keys()].join(", ")}.`);
  }
  const row: Record<string, Cell> = {};
  for (const [name, column] of columns) {
    const value = given[column.name] ?? properties[name];
    if ((value === undefined || value === null) && lenient.includes(column.name)) continue;
    const cell = parseProperty(value, column);
    if ("problem" in cell) throw invalid(`${where}: ${name} ${cell.problem}.`);
    row[column.name] = cell.value;
  }
  return row;
}

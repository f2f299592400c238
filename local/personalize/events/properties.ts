import { camelCase, type DatasetSchema } from "../data/avro-schema.ts";
import { type Cell, parseProperty } from "../data/cell.ts";
import { invalid } from "../service-error.ts";

/** Reads the `properties` of an event, item or user, a JSON text with camelCase names; throws InvalidInputException. */
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
 * A row of a dataset from properties, `given` columns over them. Columns of `given` that the schema lacks are left out;
 * a property that it lacks, or a value of the wrong type, throws InvalidInputException. A missing column of `lenient`
 * stays away.
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

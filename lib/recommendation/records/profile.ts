import { MAX_CATEGORY, MAX_RECORD_PROPERTIES, MAX_TEXT } from "../../personalize/limits.ts";
import type { ProfileDataset } from "../../platform/contract/recommendation.ts";
import type { Issue } from "../../platform/http/error.ts";
import { isObject } from "../../platform/json/values.ts";
import { typesOf } from "../../settings/avro.ts";
import { propertyName } from "../../settings/property-name.ts";
import { type Definitions, type Field, fieldsOf, fieldValue, textualColumns, type Value } from "./layout.ts";
import { ID_COLUMNS } from "./tables.ts";
import {
  idReader,
  keep,
  notAnObject,
  oneItem,
  type Parsed,
  readActive,
  readCreation,
  readValue,
  unknownColumns,
} from "./value.ts";

/** A user or an item as stored in the table: the source columns that have a value, and IS_ACTIVE. */
export type Profile = Readonly<Record<string, Value>>;

/**
 * Creates a parser for uploaded or stored users or items. Converts values to the configured types, accepts several
 * values as `a|b` or as an array, and sets IS_ACTIVE to "True" by default. Reports every problem of a record as an
 * issue whose path is the column. Use `unknown: "ignore"` for records that were stored under an older schema.
 */
export function profileParser(
  dataset: ProfileDataset,
  definitions: Definitions,
  unknown: "refuse" | "ignore" = "refuse",
) {
  const schema = definitions.schemas[dataset];
  const etl = definitions.etl[dataset];
  const idColumn = ID_COLUMNS[dataset];
  const textual = textualColumns(schema, etl);
  const columns = etl.columns.filter(({ name }) => name !== idColumn && name !== "IS_ACTIVE");
  const known = new Set([idColumn, ...columns.map(({ name }) => name), "IS_ACTIVE"]);
  const properties = profileProperties(dataset, definitions);
  const idOf = idReader(definitions);

  return (value: unknown): Parsed<Profile> => {
    if (!isObject(value)) return notAnObject(value);
    const issues: Issue[] = [];
    const record: Record<string, Value> = {};
    const written = idOf(value[idColumn]);
    const id = dataset === "item" ? oneItem(written) : written;
    keep(record, issues, { path: idColumn, read: id, required: true });
    for (const { name, type, nullable } of columns) {
      const read = readValue(type, value[name], textual.has(name) ? MAX_TEXT : MAX_CATEGORY);
      const isCreation = dataset === "item" && name === "CREATION_TIMESTAMP";
      keep(record, issues, { path: name, read: isCreation ? readCreation(read) : read, required: !nullable });
    }
    keep(record, issues, { path: "IS_ACTIVE", read: readActive(value.IS_ACTIVE), required: false });
    if (unknown === "refuse") issues.push(...unknownColumns(value, known));
    if (issues.length === 0) issues.push(...sizeIssues(properties(record), MAX_RECORD_PROPERTIES[dataset]));
    return issues.length > 0 ? { id: id && "value" in id ? id.value : undefined, issues } : { record };
  };
}

/**
 * Returns a function that lists the schema's fields of a user or item, in order, for the files that Personalize
 * imports.
 */
export function profileFields(
  dataset: ProfileDataset,
  definitions: Definitions,
): (record: Profile) => (Value | null)[] {
  const fields = fieldsOf(definitions.schemas[dataset], definitions.etl[dataset]);
  return (record) => fields.map((field) => fieldValue(field, record));
}

/**
 * Returns a function that formats a record's properties for PutUsers or PutItems, as JSON: the same fields as in the
 * imported files, without the id.
 */
export function profileProperties(dataset: ProfileDataset, definitions: Definitions): (record: Profile) => string {
  const fields: Field[] = fieldsOf(definitions.schemas[dataset], definitions.etl[dataset]);
  const others = fields
    .filter(({ name }) => name !== ID_COLUMNS[dataset])
    .map((field) => ({ field, property: propertyName(field.name) }));
  return (record) => {
    const properties: Record<string, Value> = {};
    for (const { field, property } of others) {
      const value = fieldValue(field, record);
      if (value !== null) properties[property] = value;
    }
    return JSON.stringify(properties);
  };
}

/**
 * Returns the properties that represent a deleted item in Personalize, which cannot delete items: IS_ACTIVE is False,
 * and required columns get a neutral value. Undefined if the schema has no IS_ACTIVE.
 */
export function deletedItemProperties({ schemas }: Definitions): string | undefined {
  const { fields } = schemas.item;
  if (!fields.some(({ name }) => name === "IS_ACTIVE")) return undefined;
  const values = fields
    .filter((field) => field.name !== ID_COLUMNS.item && !typesOf(field).includes("null"))
    .map((field) => [propertyName(field.name), typesOf(field).includes("string") ? "deleted" : 0]);
  return JSON.stringify({ ...Object.fromEntries(values), [propertyName("IS_ACTIVE")]: "False" });
}

function sizeIssues(properties: string, most: number): Issue[] {
  if (properties.length <= most) return [];
  return [{ path: "", message: `has ${properties.length} characters in all, Personalize takes at most ${most}` }];
}

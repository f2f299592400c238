import {
  MAX_CATEGORY,
  MAX_EVENT_PROPERTIES,
  MAX_ID,
  MAX_IMPRESSION,
  MAX_RECOMMENDATION_ID,
} from "../../personalize/limits.ts";
import { EVENT_COLUMNS } from "../records/event.ts";
import { type Definitions, fieldsOf } from "../records/layout.ts";
import { customFields } from "../records/trained-event.ts";
import { EtlError } from "./etl-error.ts";
import { identifier, literal } from "./sql.ts";

/** The fields that every row of a partition has. The schema's custom fields follow. */
const FIELDS = ["USER_ID", "ITEM_ID", "EVENT_TYPE", "EVENT_VALUE", "TIMESTAMP", "IMPRESSION"];

/** The fields of a row of a partition, without `__id` and `__position`. All are text but TIMESTAMP: see `typeOf`. */
export function rowFields(definitions: Definitions): string[] {
  return [...FIELDS, ...customFields(definitions)];
}

/** Returns the type of a field in a partition. Personalize takes text, but Parquet stores whole numbers faster. */
const typeOf = (field: string) => (field === "TIMESTAMP" ? "BIGINT" : "VARCHAR");

/** Returns a statement that creates the table `stored`, with the columns of a partition. */
export function storedTable(definitions: Definitions): string {
  const fields = rowFields(definitions).map((name) => `${identifier(name)} ${typeOf(name)}`);
  return `CREATE TABLE stored (__id VARCHAR, __position BIGINT, ${fields.join(", ")});`;
}

/** The longest line. A Firehose record holds at most 1,000 KiB, so a longer line cannot be an event. */
const LONGEST_LINE = 1_024_000;

/** Returns how SQL reads stored events, as values of {@link sql}: see macros.sql. `isPlain` says what no line contains. */
export function eventColumns(definitions: Definitions, isPlain = false) {
  const known: readonly string[] = EVENT_COLUMNS;
  const custom = definitions.etl.interaction.columns.filter(({ name }) => !known.includes(name));
  const names = [...known, ...custom.map(({ name }) => name)];
  const lower = [...names, ...customFields(definitions)].map((name) => name.toLowerCase());
  const clash = names.find((name, at) => lower.indexOf(name.toLowerCase()) !== at);
  if (clash) throw new EtlError(`configure.json: two columns of interactions differ only in the case of ${clash}`);

  const numbers = new Set([
    "EVENT_VALUE",
    "TIMESTAMP",
    ...custom.flatMap(({ name, type }) => (type === "string" ? [] : name)),
  ]);
  const text = isPlain ? "plain_text_of" : "text_of";
  const value = (column: string): string => {
    if (column === "SESSION_ID") return `${text}(coalesce(SESSION_ID, USER_ID))`;
    const number = `${identifier(column)}::VARCHAR`;
    if (!numbers.has(column)) return `${text}(${identifier(column)})`;
    // Lines that are left to the parser come here, too, with any value.
    return typeOf(column) === "VARCHAR" ? number : `TRY_CAST(${number} AS ${typeOf(column)})`;
  };
  const customs = fieldsOf(definitions.schemas.interaction, definitions.etl.interaction).filter(
    ({ name }) => !FIELDS.includes(name),
  );
  const cells = [
    ...FIELDS.map((name) => ({ name, cell: value(name) })),
    ...customs.map(({ name, columns, separator }) => {
      const [first = "", ...others] = columns;
      if (others.length === 0) return { name, cell: value(first) };
      const joined = `concat_ws(${literal(separator.replace(/\r\n|[\r\n]/g, " "))}, ${columns.map(value).join(", ")})`;
      return { name, cell: `nullif(${joined}, '')` };
    }),
  ];

  const optional = (column: string, rule: string) => `(${identifier(column)} IS NULL OR ${rule})`;
  const texts = names.filter((name) => !numbers.has(name)).map(identifier);
  const rules = [
    ...(isPlain ? [] : [`has_no_control(concat(${texts.join(", ")}))`]),
    ...["EVENT_ID", "USER_ID", "ITEM_ID", "EVENT_TYPE"].map((name) => `is_text(${name}, ${MAX_ID})`),
    "is_seconds(TIMESTAMP)",
    optional("SESSION_ID", `is_text(SESSION_ID, ${MAX_ID})`),
    optional("EVENT_VALUE", "is_decimal(EVENT_VALUE)"),
    optional("IMPRESSION", `is_impression(IMPRESSION, ${MAX_IMPRESSION.items})`),
    optional("RECOMMENDATION_ID", `is_text(RECOMMENDATION_ID, ${MAX_RECOMMENDATION_ID})`),
    ...custom.map(({ name, type, nullable }) => {
      const rule = RULES[type](identifier(name));
      return nullable ? optional(name, rule) : rule;
    }),
    ...(customs.length === 0 ? [] : [propertiesFit(customs)]),
  ];
  return {
    longest_line: LONGEST_LINE,
    id: `${text}(EVENT_ID)`,
    columns: `{${names.map((name) => `${identifier(name)}: 'JSON'`).join(", ")}}`,
    structure: literal(JSON.stringify(Object.fromEntries(names.map((name) => [name, "JSON"])))),
    cells: cells.map(({ name, cell }) => `${cell} AS ${identifier(name)}`).join(",\n    "),
    accepted: `coalesce(${rules.join("\n    AND ")}, false)`,
  };
}

const RULES = {
  string: (column: string) => `is_text(${column}, ${MAX_CATEGORY})`,
  float: (column: string) => `is_decimal(${column})`,
  int: (column: string) => `is_whole(${column}, 2147483648)`,
  long: (column: string) => `is_whole(${column}, ${Number.MAX_SAFE_INTEGER})`,
} as const;

/** Values as bytes of JSON, with names and punctuation, never take fewer characters than the properties of PutEvents. */
function propertiesFit(fields: readonly { name: string; columns: readonly string[]; separator: string }[]): string {
  const around = fields.reduce(
    (sum, { name, columns, separator }) => sum + name.length + 6 + columns.length * JSON.stringify(separator).length,
    2,
  );
  const columns = fields
    .flatMap((field) => field.columns)
    .map((name) => (name === "SESSION_ID" ? "coalesce(SESSION_ID, USER_ID)" : identifier(name)));
  return `strlen(concat(${columns.join(", ")})) + ${around} <= ${MAX_EVENT_PROPERTIES}`;
}

import { identifier, literal } from "../../core/sql/database.ts";
import {
  MAX_CATEGORY,
  MAX_EVENT_PROPERTIES,
  MAX_ID,
  MAX_IMPRESSION,
  MAX_RECOMMENDATION_ID,
} from "../../personalize/limits.ts";
import { customColumns, EVENT_COLUMNS } from "./event.ts";
import { type Definitions, type Field, fieldsOf } from "./layout.ts";
import { customFields, PLACED_FIELDS } from "./trained-event.ts";

/** The columns of a row of a partition. */
export const rowColumns = (definitions: Definitions): string[] => [
  ...["__id", "__position"],
  ...PLACED_FIELDS,
  ...customFields(definitions),
];

/** Returns a statement that creates the table `stored`, with the columns of a partition. */
export function storedTable(definitions: Definitions): string {
  // Personalize takes text, but Parquet stores whole numbers faster.
  const isWhole = (name: string) => ["__position", "TIMESTAMP"].includes(name);
  const columns = rowColumns(definitions).map((name) => `${identifier(name)} ${isWhole(name) ? "BIGINT" : "VARCHAR"}`);
  return `CREATE TABLE stored (${columns.join(", ")});`;
}

/** How the values of a column must look in a line, by what it holds: see event-rules.sql. */
const RULES = {
  id: (column: string) => `is_text(${column}, ${MAX_ID})`,
  recommendation: (column: string) => `is_text(${column}, ${MAX_RECOMMENDATION_ID})`,
  string: (column: string) => `is_text(${column}, ${MAX_CATEGORY})`,
  impression: (column: string) => `is_impression(${column}, ${MAX_IMPRESSION.items})`,
  seconds: (column: string) => `is_seconds(${column})`,
  float: (column: string) => `is_decimal(${column})`,
  int: (column: string) => `is_whole(${column}, 2147483648)`,
  long: (column: string) => `is_whole(${column}, ${Number.MAX_SAFE_INTEGER})`,
} as const;

const NUMBERS: readonly string[] = ["seconds", "float", "int", "long"];

/** Returns how SQL reads stored events, as values of etl/objects.sql. `isPlain` says that event-rules.sql may skip checks. */
export function eventColumns(definitions: Definitions, isPlain: boolean) {
  const columns = [...EVENT_COLUMNS, ...customColumns(definitions)];
  const { schemas, etl } = definitions;
  const placed = PLACED_FIELDS.map((name): Field => ({ name, columns: [name], separator: "" }));
  const custom = fieldsOf(schemas.interaction, etl.interaction).filter(({ name }) => !PLACED_FIELDS.includes(name));
  const texts = columns.filter(({ type }) => !NUMBERS.includes(type)).map(({ name }) => name);
  const json = (column: string) => (column === "SESSION_ID" ? "coalesce(SESSION_ID, USER_ID)" : identifier(column));
  const value = (column: string): string => {
    if (texts.includes(column)) return `${isPlain ? "plain_text_of" : "text_of"}(${json(column)})`;
    return column === "TIMESTAMP" ? "TRY_CAST(TIMESTAMP::VARCHAR AS BIGINT)" : `${json(column)}::VARCHAR`;
  };
  const cell = ({ name, columns, separator }: Field): string => {
    const between = literal(separator.replace(/\r\n|[\r\n]/g, " "));
    const values = columns.map(value).join(", ");
    return `${columns.length > 1 ? `nullif(concat_ws(${between}, ${values}), '')` : values} AS ${identifier(name)}`;
  };

  // Values as bytes of JSON, with names and punctuation, never take fewer characters than the properties of PutEvents.
  const around = Object.fromEntries(custom.map((field) => [field.name, field.separator.repeat(field.columns.length)]));
  const properties = ["''", ...custom.flatMap((field) => field.columns.map(json))];
  const rules = [
    ...(isPlain ? [] : [`has_no_control(concat(${texts.map(identifier).join(", ")}))`]),
    ...columns.map(({ name, type, nullable }) => {
      const rule = RULES[type](identifier(name));
      return nullable ? `(${identifier(name)} IS NULL OR ${rule})` : rule;
    }),
    `strlen(concat(${properties.join(", ")})) + ${JSON.stringify(around).length} <= ${MAX_EVENT_PROPERTIES}`,
  ];
  return {
    id: value("EVENT_ID"),
    columns: `{${columns.map(({ name }) => `${identifier(name)}: 'JSON'`).join(", ")}}`,
    cells: [...placed, ...custom].map(cell).join(",\n    "),
    accepted: `coalesce(${rules.join("\n    AND ")}, false)`,
  };
}

import { MAX_EVENT_PROPERTIES } from "../../personalize/limits.ts";
import { PLACED_FIELDS } from "../../platform/contract/recommendation.ts";
import { identifier, literal } from "../../platform/sql/database.ts";
import { customColumns, EVENT_COLUMNS } from "../records/event.ts";
import { ANONYMOUS, type Definitions, type Field, fieldsOf, type StoredEvent } from "../records/layout.ts";
import { customFields, isPlaced } from "../records/trained-event.ts";

const listOf = (texts: readonly string[]) => `(${texts.map(literal).join(", ")})`;

/** Returns a statement that creates the table `stored`, with the columns of a partition. */
export function storedTable(definitions: Definitions): string {
  const fields = [...PLACED_FIELDS, ...customFields(definitions)].map((name) => `${identifier(name)} VARCHAR`);
  return `CREATE TABLE stored (__id VARCHAR, __position BIGINT, __session VARCHAR, ${fields.join(", ")});`;
}

/**
 * Returns what joins the events of a session: the user of an anonymous event, which is the session, or the session of a
 * user if it has a name of its own. Null for all other events. The same as `session` of {@link eventColumns}.
 */
export function sessionOf({ USER_ID, SESSION_ID }: StoredEvent, isAnonymous: boolean): string | null {
  if (isAnonymous) return USER_ID;
  return SESSION_ID === USER_ID ? null : SESSION_ID;
}

/** Returns how SQL reads stored events, as values of objects.sql. `isPlain` says that event-rules.sql may skip checks. */
export function eventColumns(definitions: Definitions, isPlain: boolean) {
  const columns = [...EVENT_COLUMNS, ...customColumns(definitions)];
  const { schemas, etl } = definitions;
  const custom = fieldsOf(schemas.interaction, etl.interaction).filter(({ name }) => !isPlaced(name));
  const json = (column: string) => (column === "SESSION_ID" ? "coalesce(SESSION_ID, USER_ID)" : identifier(column));
  const value = (column: string) => `${isPlain ? "plain_value_of" : "value_of"}(${json(column)})`;
  const joined = ({ columns, separator }: Field) =>
    `nullif(concat_ws(${[literal(separator.replace(/\r\n|[\r\n]/g, " ")), ...columns.map(value)].join(", ")}), '')`;
  const cells = [
    ...PLACED_FIELDS.map((name) => `${value(name)} AS ${identifier(name)}`),
    ...custom.map((field) => `${joined(field)} AS ${identifier(field.name)}`),
  ];

  // The JSON with names and punctuation is never shorter, in bytes, than the properties of PutEvents in characters.
  const around = Object.fromEntries(custom.map((field) => [field.name, field.separator.repeat(field.columns.length)]));
  const properties = ["''", ...custom.flatMap((field) => field.columns.map(json))];
  const rules = columns.map(({ name, type, nullable }) => {
    const column = identifier(name);
    return nullable ? `(${column} IS NULL OR is_${type}(${column}))` : `is_${type}(${column})`;
  });
  const refuse = definitions.refuse ?? [];
  if (refuse.length > 0) {
    const ids = ["USER_ID", "ITEM_ID", "SESSION_ID"].map(
      (name) => `coalesce(${value(name)} NOT IN ${listOf(refuse)}, true)`,
    );
    rules.push(...ids);
  }
  if (!isPlain) rules.push(`has_no_control(concat(${columns.map(({ name }) => identifier(name)).join(", ")}))`);
  rules.push(`strlen(concat(${properties.join(", ")})) + ${JSON.stringify(around).length} <= ${MAX_EVENT_PROPERTIES}`);
  const read = new Set([...columns.map(({ name }) => name), ANONYMOUS]);
  const [user, session] = [value("USER_ID"), value("SESSION_ID")];
  return {
    id: value("EVENT_ID"),
    session: `CASE WHEN ${ANONYMOUS}::VARCHAR = 'true' THEN ${user} WHEN SESSION_ID <> USER_ID THEN nullif(${session}, ${user}) END`,
    columns: `{${[...read].map((name) => `${identifier(name)}: 'JSON'`).join(", ")}}`,
    cells: cells.join(",\n    "),
    accepted: `coalesce(${rules.join("\n    AND ")}, false)`,
  };
}

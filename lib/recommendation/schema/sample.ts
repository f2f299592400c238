import type { Dataset } from "../../platform/contract/recommendation.ts";
import { COLUMN_NAME } from "../../settings/names.ts";
import { nearest } from "../../settings/nearest.ts";
import { nameProblem } from "../../settings/property-name.ts";
import type { Definitions } from "../records/layout.ts";
import { MAX_SECONDS, readActive, readFloat, readSeconds, tooLate } from "../records/value.ts";
import { Column, columnType } from "./column.ts";
import type { Constants } from "./constants.ts";
import type { AddIds } from "./ids.ts";
import type { Described } from "./infer.ts";
import { judgeOf, widestDefinitions } from "./judge.ts";
import { placeOf, type Row, type RowPosition, recordOf, SampleError, type Value } from "./row.ts";
import { readRows } from "./rows.ts";
import { RULES } from "./rules.ts";

/** How many events have each type. */
export type EventTypes = ReadonlyMap<string, number>;

/** The most event types to count. Personalize takes ten; a column with this many holds something else. */
export const MAX_EVENT_TYPES = 1_000;

/** Columns and statistics of a sample file. */
export interface Sample extends Described {
  file: string;
  /** Empty for users and items. Lacks types that first appear after {@link MAX_EVENT_TYPES} others. */
  eventTypes: EventTypes;
  /** Rows that the service rejects, by column. The key is empty for problems of a whole row. */
  rejections: ReadonlyMap<string, Counted>;
  /** Lists in IMPRESSION that the service would read as one id. */
  foreignLists: Counted | undefined;
}

/** Values with the same problem: their number, the first one, and the problem. */
interface Counted {
  count: number;
  place: RowPosition;
  message: string;
}

/** How to read sample files. */
export interface SampleOptions {
  /** Texts that mean that there is no value. */
  missing: ReadonlySet<string>;
  /** Item columns that hold text. */
  textual: readonly string[];
  /** The schemas that rows must fit. Default: any that fits the file. */
  definitions?: Definitions;
  /** Constants of filters. Those that a value equals are marked as seen. */
  constants?: Constants;
  addIds: AddIds;
}

/** A list of items in another notation than `a|b`: in brackets, or with other separators. */
const FOREIGN_LIST = /^\s*[[({]|[,;\s]/;

/**
 * Reads a sample file once, row by row. Throws SampleError with all problems of the header, or the first problem of a
 * row.
 */
export async function readSample(dataset: Dataset, file: string, options: SampleOptions): Promise<Sample> {
  const { columns: header, rows: source } = await readRows(file, options.missing);
  const columns = new Map(header.map((name) => [name, new Column(name)]));
  // With schemas, a column may have another name than its field.
  const fieldsOf = (names: readonly string[]) =>
    options.definitions ? [] : names.filter((name) => !options.textual.includes(name));
  if (header.length > 0) checkColumns(dataset, file, header, fieldsOf(header));
  const eventTypes = new Map<string, number>();
  const rejections = new Map<string, Counted>();
  let foreignLists: Counted | undefined;
  const judges = { columns: -1, judge: judgeOf(dataset, widestDefinitions(dataset, [], [])) };
  /** Reports the problems of a row. Rebuilt when a JSON object has a new column. */
  const judge = (row: Row) => {
    if (judges.columns !== columns.size) {
      const definitions = options.definitions ?? widestDefinitions(dataset, columns.keys(), options.textual);
      Object.assign(judges, { columns: columns.size, judge: judgeOf(dataset, definitions) });
    }
    return judges.judge(recordOf(row));
  };
  let rows = 0;
  for await (const row of source) {
    rows += 1;
    // JSON has no header, so the first object shows which columns exist.
    if (rows === 1 && header.length === 0) checkColumns(dataset, file, [...row.values.keys()], []);
    checkRow(dataset, file, row);
    if (dataset === "interaction") {
      const type = String(row.values.get("EVENT_TYPE"));
      const count = eventTypes.get(type) ?? 0;
      if (count > 0 || eventTypes.size < MAX_EVENT_TYPES) eventTypes.set(type, count + 1);
    }
    for (const [name, value] of row.values) {
      const column = columns.get(name) ?? new Column(name);
      columns.set(name, column);
      column.add(value, row);
      options.constants?.see(dataset, name, value);
    }
    options.addIds(dataset, row);
    for (const { path, message } of judge(row)) countIn(rejections, path, row, message);
    const shown = dataset === "interaction" ? row.values.get("IMPRESSION") : undefined;
    if (typeof shown === "string" && !shown.includes("|") && FOREIGN_LIST.test(shown)) {
      foreignLists ??= { count: 0, place: { line: row.line, record: row.record }, message: JSON.stringify(shown) };
      foreignLists.count += 1;
    }
  }
  if (rows === 0) throw new SampleError([`${file}  has a header but no rows: types cannot be inferred without values`]);
  if (header.length === 0) checkColumns(dataset, file, [...columns.keys()], fieldsOf([...columns.keys()]));
  return { file, dataset, columns, rows, eventTypes, rejections, foreignLists };
}

/** Returns the sample of a dataset without a file: its required columns, which hold nothing. */
export function emptySample(dataset: Dataset): Sample {
  const columns = new Map(RULES[dataset].required.map((name) => [name, new Column(name)]));
  const none = { rows: 0, eventTypes: new Map(), rejections: new Map(), foreignLists: undefined };
  return { file: "", dataset, columns, ...none };
}

function countIn(counted: Map<string, Counted>, key: string, { line, record }: RowPosition, message: string): void {
  const known = counted.get(key);
  if (known) known.count += 1;
  else counted.set(key, { count: 1, place: { line, record }, message });
}

function checkColumns(dataset: Dataset, file: string, names: readonly string[], fields: readonly string[]): void {
  const { required, leading, beside, unflagged, maxCustom } = RULES[dataset];
  const problems = required.flatMap((column) => {
    if (names.includes(column)) return [];
    const close = nearest(
      column,
      names.filter((name) => !leading.includes(name)),
    );
    const advice = close ? `: is "${close}" meant?` : `; it has ${names.join(", ")}`;
    return [`${file}  lacks the column "${column}", which the ${dataset} file needs${advice}`];
  });
  const folded = new Map<string, string>();
  for (const name of names) {
    if (!COLUMN_NAME.test(name)) {
      problems.push(
        `${file}  has the column ${JSON.stringify(name)}: a name is letters, digits and underscores, and does not start with a digit`,
      );
    } else if (fields.includes(name)) {
      const unnamed = nameProblem(name);
      if (unnamed !== undefined) problems.push(`${file}  has the column "${name}": ${unnamed}`);
    }
    if (name === "TEXTUAL_FIELD") {
      problems.push(
        `${file}  has the column "TEXTUAL_FIELD", which the service makes from the textual columns: rename it`,
      );
    }
    // Personalize ignores underscores and case when it compares names.
    const key = name.replaceAll("_", "").toUpperCase();
    const twin = folded.get(key);
    if (twin)
      problems.push(
        `${file}  has the columns "${twin}" and "${name}", which Personalize takes for the same: rename one`,
      );
    folded.set(key, name);
  }
  const custom = names.filter((name) => ![...leading, ...beside, ...unflagged].includes(name));
  if (custom.length > maxCustom) {
    problems.push(
      `${file}  has ${custom.length} columns of its own, Personalize takes at most ${maxCustom}: ${custom.join(", ")}`,
    );
  }
  if (problems.length > 0) throw new SampleError(problems);
}

function checkRow(dataset: Dataset, file: string, row: Row): void {
  const { values } = row;
  const fail = (problem: string) => new SampleError([`${placeOf(file, row)}  ${problem}`]);
  for (const column of RULES[dataset].required) {
    if (values.get(column) === undefined) throw fail(`has no ${column}, which every row needs`);
  }
  if (dataset === "interaction") {
    // The same check as in /log-event.
    const read = readSeconds(values.get("TIMESTAMP"));
    if (read && "issue" in read) throw fail(`TIMESTAMP ${read.issue}`);
  } else checkCreation(values.get("CREATION_TIMESTAMP"), fail);
  const eventValue = values.get("EVENT_VALUE");
  if (dataset === "interaction" && eventValue !== undefined && "issue" in readFloat(eventValue)) {
    throw fail(`has the EVENT_VALUE ${JSON.stringify(eventValue)}, which is not a number`);
  }
  const active = values.get("IS_ACTIVE");
  if (dataset !== "interaction" && "issue" in readActive(active)) {
    throw fail(`has the IS_ACTIVE ${JSON.stringify(active)}: it is "True" or "False"`);
  }
}

/** Checks CREATION_TIMESTAMP. It may be negative, because an item may have been created before 1970. */
function checkCreation(value: Value, fail: (problem: string) => SampleError): void {
  if (value === undefined) return;
  const rule = `CREATION_TIMESTAMP must be whole seconds since 1970, got ${JSON.stringify(value)}`;
  if (!/^(int|long)$/.test(columnType(String(value)))) throw fail(rule);
  const seconds = Math.abs(Number(value));
  if (seconds >= MAX_SECONDS) throw fail(`${rule}, which ${tooLate(seconds)}`);
}

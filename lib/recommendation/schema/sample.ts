import type { Dataset } from "../../platform/contract/recommendation.ts";
import type { FileFormat } from "../../settings/etl.ts";
import { COLUMN_NAME } from "../../settings/names.ts";
import { nearest } from "../../settings/nearest.ts";
import { betterName, nameProblem } from "../../settings/property-name.ts";
import type { Definitions } from "../records/layout.ts";
import { Column } from "./column.ts";
import type { Constants } from "./constants.ts";
import type { AddIds } from "./ids.ts";
import type { Described } from "./infer.ts";
import { judgeOf, widestDefinitions } from "./judge.ts";
import { rejectedRows } from "./rejections.ts";
import { type Counted, countIn, type Row, recordOf, SampleError } from "./row.ts";
import { readRows } from "./rows.ts";
import { RULES } from "./rules.ts";
import { Suspects } from "./suspects.ts";

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
  /** The number of rows that the service rejects. The schema is inferred from the others. */
  rejected: number;
  /** Lines about rows that the service accepts, but that are probably meant otherwise. */
  suspects: string[];
  /** The columns that the format renames. */
  renamed: ReadonlySet<string>;
}

/** How to read sample files. */
export interface SampleOptions {
  format: FileFormat;
  /** Item columns that hold text. */
  textual: readonly string[];
  /** The schemas that rows must fit. Default: any that fits the file. */
  definitions?: Definitions;
  /** Constants of filters. Those that a value equals are marked as seen. */
  constants?: Constants;
  addIds: AddIds;
  /** Whether a row that the service rejects is an error. */
  strict: boolean;
}

/**
 * Reads a sample file once, row by row. Throws SampleError with all problems of the header, or if the service
 * would reject every row.
 */
export async function readSample(dataset: Dataset, file: string, options: SampleOptions): Promise<Sample> {
  const { columns: header, rows: source, renamed } = await readRows(dataset, file, options.format);
  const columns = new Map(header.map((name) => [name, new Column(name)]));
  // With schemas, a column may have another name than its field.
  const fieldsOf = (names: readonly string[]) =>
    options.definitions ? [] : names.filter((name) => !options.textual.includes(name));
  if (header.length > 0) checkColumns(dataset, file, header, fieldsOf(header));
  const eventTypes = new Map<string, number>();
  const rejections = new Map<string, Counted>();
  const suspects = new Suspects(dataset);
  const judges = { columns: -1, judge: judgeOf(dataset, widestDefinitions(dataset, [], [])) };
  /** Reports the problems of a row. Rebuilt when a JSON object has a new column. */
  const judge = (row: Row) => {
    if (judges.columns !== columns.size) {
      const definitions = options.definitions ?? widestDefinitions(dataset, columns.keys(), options.textual);
      Object.assign(judges, { columns: columns.size, judge: judgeOf(dataset, definitions) });
    }
    return judges.judge(recordOf(row));
  };
  let [rows, rejected] = [0, 0];
  for await (const row of source) {
    // JSON has no header, so the first object shows which columns exist.
    if (rows + rejected === 0 && header.length === 0) checkColumns(dataset, file, [...row.values.keys()], []);
    for (const name of row.values.keys()) if (!columns.has(name)) columns.set(name, new Column(name));
    const issues = judge(row);
    if (issues.length > 0) {
      rejected += 1;
      for (const { path, message } of issues) countIn(rejections, path, row, message);
      continue;
    }
    rows += 1;
    if (dataset === "interaction") {
      const type = String(row.values.get("EVENT_TYPE"));
      const count = eventTypes.get(type) ?? 0;
      if (count > 0 || eventTypes.size < MAX_EVENT_TYPES) eventTypes.set(type, count + 1);
    }
    for (const [name, value] of row.values) {
      columns.get(name)?.add(value, row);
      options.constants?.see(dataset, name, value);
    }
    options.addIds(dataset, row);
    suspects.add(row);
  }
  if (rows + rejected === 0)
    throw new SampleError([`${file}  has a header but no rows: types cannot be inferred without values`]);
  if (header.length === 0) checkColumns(dataset, file, [...columns.keys()], fieldsOf([...columns.keys()]));
  const sample = { file, dataset, columns, rows, eventTypes, rejections, rejected, renamed };
  if (rows === 0 || (options.strict && rejected > 0)) throw new SampleError(rejectedRows(sample, options.textual));
  return { ...sample, suspects: suspects.warnings(file, rows + rejected) };
}

/** Returns the sample of a dataset without a file: its required columns, which hold nothing. */
export function emptySample(dataset: Dataset): Sample {
  const columns = new Map(RULES[dataset].required.map((name) => [name, new Column(name)]));
  const none = {
    rows: 0,
    eventTypes: new Map(),
    rejections: new Map(),
    rejected: 0,
    suspects: [],
    renamed: new Set<string>(),
  };
  return { file: "", dataset, columns, ...none };
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
      if (unnamed !== undefined)
        problems.push(`${file}  has the column "${name}": ${unnamed}, or give --rename ${name}=${betterName(name)}`);
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

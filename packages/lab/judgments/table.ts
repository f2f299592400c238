import { type Options, parse } from "csv-parse/sync";
import { textOf } from "./csv.ts";
import {
  type Columns,
  columnsOf,
  gradeOf,
  indexOf,
  type Judgment,
  missingColumn,
  nameOf,
  originOf,
  raterIn,
} from "./judgments.ts";
import { JudgmentsError } from "./text.ts";

/** Commas, as Excel separates with them in English; semicolons, as in most other languages; tabs, as in "Unicode text". */
const DELIMITERS = [",", ";", "\t"] as const;

interface Row {
  record: string[];
  info: { lines: number };
}

/** A table with a header that has a column each for query, document and grade. */
export interface JudgmentsTable {
  delimiter: string;
  header: readonly string[];
  columns: Columns;
  rows: readonly { cells: readonly string[]; line: number }[];
}

/**
 * Reads a table whatever separates its cells. Throws JudgmentsError if it is empty or lacks a column. The apostrophes of
 * cells that a spreadsheet would take for formulas are taken away.
 */
export function readCells(text: string): JudgmentsTable {
  if (text.trim() === "") throw new JudgmentsError("the file is empty: it needs the header query,doc,grade");
  const headers = DELIMITERS.map((delimiter) => ({ delimiter, header: headerOf(text, delimiter) }));
  const [likeliest] = headers.toSorted((a, b) => b.header.length - a.header.length);
  const fits = headers.find(({ header }) => missingColumn(columnsOf(header)) === undefined);
  const { delimiter, header } = fits ?? (likeliest as (typeof headers)[number]);
  const columns = columnsOf(header);
  const missing = missingColumn(columns);
  if (missing) {
    throw new JudgmentsError(
      `line 1: no column for the ${missing}: name it ${nameOf(missing)}; the header is ${header.join(delimiter)}`,
    );
  }
  const rows = parsed(text, { delimiter, info: true }) as unknown as Row[];
  return {
    ...{ delimiter, header, columns },
    rows: rows.slice(1).map(({ record, info }) => ({ cells: record.map(textOf), line: info.lines })),
  };
}

/** Returns whether text begins with a header that judgments can have. */
export const isTable = (text: string): boolean =>
  DELIMITERS.some((delimiter) => missingColumn(columnsOf(headerOf(text, delimiter))) === undefined);

/**
 * Returns the judgments of a table. Skips rows without a grade, which Quepid writes for documents that nobody has judged.
 * Throws JudgmentsError.
 */
export function* judgmentsIn({ delimiter, columns, rows }: JudgmentsTable): Generator<Judgment> {
  for (const { cells, line } of rows) {
    const cell = (kind: keyof Columns) => cells[columns[kind]]?.trim() ?? "";
    if (cell("grade") === "") continue;
    if (cell("query") === "" || cell("document") === "") {
      throw new JudgmentsError(`line ${line}: query and document must not be empty`);
    }
    // Where semicolons separate cells, a comma separates decimals.
    const grade = delimiter === ";" ? cell("grade").replace(",", ".") : cell("grade");
    const isByPeople = [cell("who"), cell("rater"), cell("adjudicated")].some((name) => name !== "");
    yield {
      ...{ query: cell("query"), document: cell("document"), grade: gradeOf(grade, line) },
      ...{ index: indexOf(cell("index")), origin: originOf(cell("origin"), isByPeople ? "people" : "import") },
      ...raterIn(cell("rater"), cell("adjudicated")),
    };
  }
}

/** Returns the records of a table as objects, by the names in its header; of a tab-separated one without, by `names`. */
export function recordsIn(text: string, isCsv: boolean, names: readonly string[]): Array<Record<string, string>> {
  const first = text.split(/\r?\n/, 1)[0] ?? "";
  const delimiter = DELIMITERS.find((one) => first.split(one).includes(names[0] ?? "")) ?? (isCsv ? "," : "\t");
  const hasHeader = isCsv || first.split(delimiter).includes(names[0] ?? "");
  const quote = delimiter === "\t" ? null : '"';
  return parsed(text, { delimiter, quote, columns: hasHeader || [...names] }) as unknown as Array<
    Record<string, string>
  >;
}

const headerOf = (text: string, delimiter: string): string[] => {
  try {
    return ((parsed(text, { delimiter, to: 1 }) as string[][])[0] ?? []).map(textOf);
  } catch {
    return [];
  }
};

function parsed(text: string, options: { delimiter: string } & Options): unknown[] {
  try {
    // Most programs that separate cells with tabs do not quote.
    const usual = {
      bom: true,
      relax_column_count_more: true,
      skip_empty_lines: true,
      relax_quotes: options.delimiter === "\t",
    };
    return parse(text, { ...usual, ...options });
  } catch (error) {
    throw new JudgmentsError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

import { Readable } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { type Row, type RowPosition, type Rows, SampleError, type Value } from "./row.ts";

/** The longest row, in bytes. A longer one means that a quote was never closed. */
const MAX_ROW_BYTES = 4 * 1_024 * 1_024;

/** The separator of a row's values, with its name. */
const DELIMITERS = { ",": "comma", ";": "semicolon", "\t": "tab" } as const;

type Delimiter = keyof typeof DELIMITERS;

interface Line extends RowPosition {
  cells: readonly string[];
}

/** Properties that a file does not state itself. */
interface Layout {
  /** Text between values, in a file in which quotes are ordinary characters. */
  separator: string | undefined;
  /** Otherwise, columns are named by their numbers. */
  hasHeader: boolean;
}

/**
 * Reads the header and rows of a CSV file (RFC 4180). `start` is its beginning: the header tells whether commas,
 * semicolons or tabs separate values, unless the layout does. Treats the texts in `missing` as no value. Skips a byte order mark. Throws
 * SampleError with the line.
 */
export async function csvRows(
  file: string,
  start: string,
  bytes: AsyncIterable<Buffer>,
  missing: ReadonlySet<string>,
  { separator, hasHeader }: Layout,
): Promise<Rows> {
  const lines = readLines(file, bytes, separator ?? delimiterOf(start), separator === undefined);
  const first = await lines.next();
  if (first.done) throw new SampleError([`${file}  is empty: it needs a header and at least one row`]);
  const renamed = new Set<string>();
  if (!hasHeader) {
    const columns = first.value.cells.map((_, index) => String(index + 1));
    return { columns, rows: toRows(columns, preceded(first.value, lines), missing), renamed };
  }
  const columns = first.value.cells;
  const problems = headerProblems(columns).map((problem) => `${file}:${first.value.line}  ${problem}`);
  if (problems.length > 0) {
    await lines.return(undefined);
    throw new SampleError(problems);
  }
  return { columns, rows: toRows(columns, lines, missing), renamed };
}

async function* preceded(first: Line, others: AsyncIterable<Line>): AsyncGenerator<Line> {
  yield first;
  yield* others;
}

/** Returns the separator that the header has most often outside of quotes. */
function delimiterOf(start: string): Delimiter {
  const [header = ""] = start
    .replaceAll(/"[^"]*"?/g, "")
    // Empty lines before the header. Not the tabs that a header in quotes leaves.
    .replace(/^[\r\n]+/, "")
    .split(/[\r\n]/, 1);
  const counts = (Object.keys(DELIMITERS) as Delimiter[]).map((one) => [one, header.split(one).length] as const);
  return counts.reduce((most, one) => (one[1] > most[1] ? one : most))[0];
}

async function* toRows(
  columns: readonly string[],
  lines: AsyncIterable<Line>,
  missing: ReadonlySet<string>,
): AsyncGenerator<Row> {
  for await (const { line, cells } of lines) {
    const value = (text = ""): Value => (text === "" || missing.has(text) ? undefined : text);
    yield { line, values: new Map(columns.map((column, index) => [column, value(cells[index])])) };
  }
}

async function* readLines(
  file: string,
  bytes: AsyncIterable<Buffer>,
  delimiter: string,
  hasQuotes: boolean,
): AsyncGenerator<Line, void, undefined> {
  const parser = parse({
    bom: true,
    delimiter,
    quote: hasQuotes ? '"' : null,
    skip_empty_lines: true,
    max_record_size: MAX_ROW_BYTES,
    // Adds the line number as an extra cell. `info: true` would create an object with ten counters for each row.
    on_record: (cells: string[], { lines }) => [...cells, String(lines)],
  });
  const source = Readable.from(bytes);
  source.on("error", (error) => parser.destroy(error));
  source.pipe(parser);
  try {
    for await (const record of parser) {
      const cells: string[] = record;
      yield { line: Number(cells.at(-1)), cells: cells.slice(0, -1) };
    }
  } catch (error) {
    throw error instanceof CsvError
      ? new SampleError([`${file}:${lineOf(error)}  ${explain(error, delimiter)}`], { cause: error })
      : error;
  } finally {
    source.destroy();
  }
}

function headerProblems(columns: readonly string[]): string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const [index, column] of columns.entries()) {
    if (seen.has(column)) problems.push(`the header has the column "${column}" twice: rename or remove one`);
    seen.add(column);
    if (column.trim() === "") problems.push(`column ${index + 1} of the header has no name`);
  }
  if (columns.length === 1 && columns[0]?.match(/[|^~]|::/)) {
    problems.push("the header has one column: give the text between values by --separator");
  }
  return problems;
}

const nameOf = (delimiter: string) => (isDelimiter(delimiter) ? DELIMITERS[delimiter] : delimiter);

const isDelimiter = (text: string): text is Delimiter => Object.hasOwn(DELIMITERS, text);

function lineOf(error: CsvError): number {
  return typeof error.lines === "number" ? error.lines : 1;
}

function explain(error: CsvError, delimiter: string): string {
  switch (error.code) {
    case "CSV_RECORD_INCONSISTENT_FIELDS_LENGTH": {
      const [, expected = "?", given = "?"] = /expect (\d+), got (\d+)/.exec(error.message) ?? [];
      return `has ${given} values where the header has ${expected} columns: a value with a ${nameOf(delimiter)} goes in double quotes`;
    }
    case "CSV_MAX_RECORD_SIZE":
      return `a row is longer than ${MAX_ROW_BYTES} bytes: is a double quote never closed?`;
    case "CSV_QUOTE_NOT_CLOSED":
      return "a double quote is opened here and never closed";
    case "INVALID_OPENING_QUOTE":
    case "CSV_INVALID_CLOSING_QUOTE":
      return 'a double quote is in the wrong place: inside a quoted value it is written twice, as ""';
    default:
      return error.message;
  }
}

import { isUtf8 } from "node:buffer";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { UsageError } from "@relevance/lib/platform/failure.ts";
import { isObject, parseJson } from "@relevance/lib/platform/json/values.ts";
import { parse } from "csv-parse/sync";

/** One record of a file, as it stands there: cells of a CSV file are texts. */
export type Row = Readonly<Record<string, unknown>>;

/** A file as it was read, and what was recognized. */
export interface Table {
  rows: readonly Row[];
  format: "CSV" | "JSON" | "JSON lines";
  encoding: Encoding;
  /** Of a CSV file. */
  separator?: string;
  /** Rows that could not be read, with their line and the reason. */
  rejected: readonly string[];
}

type Encoding = "UTF-8" | "UTF-16" | "Windows-1252";

const SEPARATORS = [",", ";", "\t", "|"] as const;

/** Lines from which the separator is recognized. */
const HEAD_LINES = 20;

/** Reads a file, also packed by gzip: a CSV file with a header line, a JSON array of objects (also as a member of one object), or a JSON object a line. */
export function readTable(file: string): Table {
  const read = readFileSync(file);
  const bytes = read.subarray(0, 2).toString("hex") === "1f8b" ? gunzipSync(read) : read;
  const { text, encoding } = decode(bytes);
  if (encoding !== "UTF-16" && bytes.subarray(0, 1_000).includes(0))
    throw new UsageError(`${file} is not a text file: save it as CSV or JSON`);
  const first = text.trimStart().charAt(0);
  if (first === "") throw new UsageError(`${file} is empty`);
  const table = first === "[" ? jsonRows(text, file) : first === "{" ? objectRows(text, file) : csvRows(text, file);
  if (table.rows.length === 0) throw new UsageError(`${file} has no rows${table.rejected.map((one) => `\n${one}`)}`);
  return { ...table, encoding };
}

function decode(bytes: Buffer): { text: string; encoding: Encoding } {
  const marks = bytes.subarray(0, 2).toString("hex");
  if (marks === "fffe" || marks === "feff") {
    return { text: new TextDecoder(marks === "fffe" ? "utf-16le" : "utf-16be").decode(bytes), encoding: "UTF-16" };
  }
  // Every sequence of bytes is Windows-1252, of which Latin-1's letters are a part.
  const encoding = isUtf8(bytes) ? "UTF-8" : "Windows-1252";
  return { text: new TextDecoder(encoding).decode(bytes), encoding };
}

type Read = Omit<Table, "encoding">;

function jsonRows(text: string, file: string): Read {
  const parsed = parsedJson(text, file);
  const rows: Row[] = Array.isArray(parsed) ? parsed.filter(isObject) : [];
  const others = Array.isArray(parsed) ? parsed.length - rows.length : 0;
  return { rows, format: "JSON", rejected: others > 0 ? [`${others} elements are not JSON objects`] : [] };
}

function parsedJson(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${file} is not valid JSON: ${(error as Error).message}`);
  }
}

/** Reads one object a line; or one object with a list of objects in it, such as `{"products": […]}`. */
function objectRows(text: string, file: string): Read {
  const lines = text.split("\n").map((line) => line.trim());
  if (!isObject(parseJson(lines.find((line) => line !== "") ?? ""))) return listInside(parsedJson(text, file), file);
  const filled = lines.flatMap((line, at) => (line === "" ? [] : [{ at, row: parseJson(line) }]));
  const rows = filled.flatMap(({ row }): Row[] => (isObject(row) ? [row] : []));
  if (rows.length === 1 && rows[0] && Object.values(rows[0]).some(isList)) return listInside(rows[0], file);
  const rejected = filled.flatMap(({ at, row }) => (isObject(row) ? [] : `line ${at + 1} is not a JSON object`));
  return { rows, format: "JSON lines", rejected };
}

const isList = (value: unknown) => Array.isArray(value) && value.length > 0 && value.every(isObject);

function listInside(parsed: unknown, file: string): Read {
  const lists = Object.entries(isObject(parsed) ? parsed : {}).filter(([, value]) => isList(value));
  const [longest] = lists.toSorted(([, one], [, other]) => (other as []).length - (one as []).length);
  if (!longest) throw new UsageError(`${file} has no list of JSON objects`);
  return { rows: longest[1] as Row[], format: "JSON", rejected: [] };
}

function csvRows(text: string, file: string): Read {
  const separator = separatorOf(text);
  const options = { delimiter: separator, bom: true, relax_quotes: true, skip_empty_lines: true } as const;
  const [header = [], ...records] = parse(text, { ...options, relax_column_count: true }) as string[][];
  const columns = header.map((name) => name.trim());
  if (columns.length < 2 && records.length === 0) throw new UsageError(`${file} has no header line with columns`);
  const rejected: string[] = [];
  const rows = records.flatMap((cells, at): Row[] => {
    // Spreadsheets leave out, or add, empty cells at the end.
    const more = cells.slice(columns.length).some((cell) => cell.trim() !== "");
    if (more) rejected.push(`row ${at + 2} has ${cells.length} cells, and the header ${columns.length}`);
    if (more) return [];
    return [Object.fromEntries(columns.flatMap((name, place) => (name === "" ? [] : [[name, cells[place] ?? ""]])))];
  });
  return { rows, format: "CSV", separator, rejected };
}

/** Returns the separator that splits the first lines into the most columns, as many in each. */
function separatorOf(text: string): string {
  const head = text.split(/\r?\n/, HEAD_LINES).filter((line) => line.trim() !== "");
  const columns = (separator: string) => {
    const counts = head.map((line) => line.replaceAll(/"[^"]*"/g, "").split(separator).length);
    const [first = 1] = counts;
    return first * (counts.filter((count) => count === first).length / counts.length);
  };
  return SEPARATORS.reduce((best, one) => (columns(one) > columns(best) ? one : best));
}

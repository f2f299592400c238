import type { Dataset } from "../../platform/contract/recommendation.ts";
import type { FileFormat } from "../../settings/etl.ts";
import type { Row, Rows, Value } from "./row.ts";

/** The number of a column, in a file without a header. */
const NUMBER = /^[1-9]\d{0,3}$/;

const renamesOf = (dataset: Dataset, { renames }: FileFormat) =>
  renames.filter((rename) => (rename.dataset ?? dataset) === dataset);

/** Returns whether the first line of a CSV file names its columns. The format of a file without a header numbers them. */
export const hasHeader = (dataset: Dataset, format: FileFormat): boolean =>
  !renamesOf(dataset, format).some(({ from }) => NUMBER.test(from));

/**
 * Returns rows with the columns and values that records have: renames columns, gives events a type, and reads dates. A
 * date of another form stays as it is, so that the rules for rows refuse it.
 */
export async function formatted(read: Rows, dataset: Dataset, format: FileFormat): Promise<Rows> {
  const renames = new Map(renamesOf(dataset, format).map(({ from, to }) => [from, to]));
  const keepsOthers = hasHeader(dataset, format);
  const isEvent = dataset === "interaction";
  const eventType = isEvent ? format.event_type : undefined;
  const secondsOf = isEvent && format.timestamp_format ? await dateReader(format.timestamp_format) : undefined;
  if (renames.size === 0 && eventType === undefined && !secondsOf) return read;
  const nameOf = (name: string) => {
    if (!renames.has(name)) return keepsOthers ? name : undefined;
    read.renamed.add(name);
    return renames.get(name);
  };
  const columns = read.columns.flatMap((name) => nameOf(name) ?? []);
  if (eventType !== undefined && columns.length > 0 && !columns.includes("EVENT_TYPE")) columns.push("EVENT_TYPE");

  const renamed = <T>(cells: ReadonlyMap<string, T>) => {
    const pairs = [...cells].map(([name, value]) => [nameOf(name), value] as const);
    return new Map(pairs.filter((pair): pair is [string, T] => pair[0] !== undefined));
  };
  const formattedRow = ({ values, written, ...place }: Row): Row => {
    const row = { ...place, values: renamed<Value>(values), written: written && renamed(written) };
    const time = row.written?.get("TIMESTAMP") ?? row.values.get("TIMESTAMP");
    const seconds = time === undefined ? undefined : secondsOf?.(String(time));
    if (seconds !== undefined) {
      row.values.set("TIMESTAMP", seconds);
      row.written?.delete("TIMESTAMP");
    }
    if (eventType !== undefined && row.values.get("EVENT_TYPE") === undefined) row.values.set("EVENT_TYPE", eventType);
    return row.written ? { ...row, written: row.written } : { ...place, values: row.values };
  };
  const rows = async function* () {
    for await (const row of read.rows) yield formattedRow(row);
  };
  return { columns, rows: rows(), renamed: read.renamed };
}

/** Returns a function that reads dates of a form, in UTC, as seconds since 1970. Undefined if a text has another form. */
async function dateReader(form: string): Promise<(text: string) => string | undefined> {
  if (form === "x") return (text) => (/^\d{4,16}$/.test(text) ? text.slice(0, -3) : undefined);
  // Only here: few files need it.
  const { DateTime } = await import("luxon");
  const options = { zone: "utc", locale: "en" };
  const parser = form === "iso" ? undefined : DateTime.buildFormatParser(form, options);
  return (text) => {
    const date = parser ? DateTime.fromFormatParser(text, parser, options) : DateTime.fromISO(text, options);
    return date.isValid ? String(Math.floor(date.toSeconds())) : undefined;
  };
}

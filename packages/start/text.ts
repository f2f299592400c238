import type { Column } from "./columns.ts";
import type { LeftOut } from "./convert.ts";
import type { Proposal } from "./proposal.ts";
import type { Table } from "./rows.ts";
import type { Written } from "./write.ts";

/** Returns what was recognized in a file, for its owner to check. */
export function proposalText(
  file: string,
  { rows, format, encoding, separator, rejected }: Table,
  proposal: Proposal,
): string {
  const { columns, id, title, texts, facets, image, price, link, analyzer } = proposal;
  const roles = (column: Column) =>
    [
      column === id && "id",
      column === title && "title",
      texts.includes(column) && "meaning",
      facets.includes(column) && "filter",
      column === price && "price",
      column === image && "picture",
      column === link && "link",
    ].filter((role) => role !== false);
  const rowsOfTable = columns.map((column) => [column.path, column.field, typeText(column), roles(column).join(", ")]);
  const separated = separator === undefined ? "" : `, separated by ${separator === "\t" ? "tabs" : `"${separator}"`}`;
  return [
    `${file}: ${rows.length.toLocaleString("en")} rows of ${format} in ${encoding}${separated}; texts are ${analyzer === "standard" ? "of no certain language" : analyzer}.`,
    ...rejected.slice(0, MOST_REJECTED).map((reason) => `  left out: ${reason}`),
    ...(rejected.length > MOST_REJECTED ? [`  … and ${rejected.length - MOST_REJECTED} more rows`] : []),
    "",
    ...tableText([["column", "field", "type", "used as"], ...rowsOfTable]),
    ...(id
      ? []
      : ["", "No column is an id, so each row has one made of its content: a changed row becomes another document."]),
  ].join("\n");
}

const MOST_REJECTED = 5;

function typeText({ type, list, html, decimal, dates, filled }: Column): string {
  const how = [
    list !== undefined && `list${list === "json" ? "" : ` by ${list.trim() || "spaces"}`}`,
    html && "HTML",
    decimal === "comma" && "with commas",
    dates && dates[0] !== "iso" && dates[0],
    filled < 0.995 && `${Math.round(filled * 100)} % filled`,
  ].filter((one) => typeof one === "string");
  return how.length === 0 ? type : `${type} (${how.join(", ")})`;
}

function tableText(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] ?? "").length)));
  return rows.map((row) => `  ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ")}`.trimEnd());
}

/** Returns the files that were written, and what is in them. */
export function filesText(written: readonly Written[]): string {
  return tableText(written.map(({ file, change, about }) => [change, file, about])).join("\n");
}

/** Returns the values that were left out, or nothing. */
export function leftOutText(leftOut: LeftOut): string[] {
  return [...leftOut].map(
    ([{ path, type }, { count, example }]) =>
      `${path}: ${count} values are not a ${type} and were left out, such as ${JSON.stringify(example)}`,
  );
}

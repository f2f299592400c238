import type { DatasetSchema } from "./avro-schema.ts";

/** The schema's columns, and rows with their cells in that order. */
export interface ImportedRows {
  columns: readonly string[];
  rows: readonly (readonly Cell[])[];
}

/** The rows of one import job. */
export interface Part extends ImportedRows {
  jobArn: string;
  importedAt: number;
}

/** One event, item or user that arrived through the events API, by column. */
export interface LiveRow {
  at: number;
  values: Readonly<Record<string, Cell>>;
  session?: string;
}

export type Cell = string | number | boolean | null;
export type SchemaColumn = DatasetSchema["fields"][number];

const LONGEST_CATEGORICAL = 1000;
const LONGEST_TEXTUAL = 20_000;

/** Parses a CSV cell by its column's type. Returns the value or a description of the problem. */
export function parseCell(text: string, column: SchemaColumn): { value: Cell } | { problem: string } {
  if (text === "") return nullFor(column);
  const type = column.types.find((candidate) => candidate !== "null");
  switch (type) {
    case "int":
    case "long":
      return /^-?\d{1,18}$/.test(text) ? { value: Number(text) } : { problem: `"${text}" is not of type ${type}` };
    case "float":
    case "double": {
      const value = Number(text);
      return Number.isFinite(value) && text.trim() !== "" ? { value } : { problem: `"${text}" is not of type ${type}` };
    }
    case "boolean":
      return /^(true|false)$/i.test(text)
        ? { value: text.toLowerCase() === "true" }
        : { problem: `"${text}" is not of type boolean` };
    default:
      return checkText(text, column);
  }
}

/** Parses a JSON property by its column's type. Numbers may be strings, as in the service. */
export function parseProperty(value: unknown, column: SchemaColumn): { value: Cell } | { problem: string } {
  if (value === null || value === undefined) return nullFor(column);
  if (Array.isArray(value)) return { problem: 'several values are one text joined by "|", got a list' };
  if (typeof value === "object") return { problem: "an object is no value" };
  if (value === "") return column.types.includes("string") ? { value: "" } : nullFor(column);
  const text = typeof value === "number" && Number.isInteger(value) ? value.toFixed(0) : String(value);
  return parseCell(text, column);
}

function nullFor({ types }: SchemaColumn): { value: null } | { problem: string } {
  return types.includes("null") ? { value: null } : { problem: "is required, its type has no null" };
}

function checkText(value: string, { categorical, textual }: SchemaColumn): { value: Cell } | { problem: string } {
  if (textual && value.length > LONGEST_TEXTUAL) {
    return { problem: `is longer than ${LONGEST_TEXTUAL} characters` };
  }
  const longest = categorical ? Math.max(...value.split("|").map((part) => part.length)) : 0;
  return longest > LONGEST_CATEGORICAL
    ? { problem: `has a category longer than ${LONGEST_CATEGORICAL} characters` }
    : { value };
}

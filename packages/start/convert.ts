import { createHash } from "node:crypto";
import { isObject } from "@relevance/lib/platform/json/values.ts";
import { type Column, isFilled } from "./columns.ts";
import type { Proposal } from "./proposal.ts";
import type { Row } from "./rows.ts";
import { dateOf, listOf, numberOf, textOfHtml, truthOf } from "./values.ts";

/** A document as it is sent to the index. */
export interface Document {
  id: string;
  doc: Readonly<Record<string, unknown>>;
}

/** Values that were left out, because they are of another type than the rest of their column. */
export type LeftOut = Map<Column, { count: number; example: unknown }>;

/** Returns what makes documents of rows: with the fields, types and ids of the proposal. */
export function converter({ columns, id }: Pick<Proposal, "columns" | "id">, leftOut: LeftOut): (row: Row) => Document {
  const byPath = new Map(columns.map((column) => [column.path, column]));
  const fieldValue = (value: unknown, column: Column): unknown => {
    if (Array.isArray(value)) {
      return value.flatMap((one) => fieldValue(one, column) ?? []);
    }
    if (!isFilled(value)) return undefined;
    const converted = isObject(value) ? undefined : convertOne(value, column);
    if (converted === undefined) leftOut.set(column, { count: (leftOut.get(column)?.count ?? 0) + 1, example: value });
    return converted;
  };
  const objectOf = (row: Row, prefix: string): Record<string, unknown> => {
    const doc: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(row)) {
      const path = `${prefix}${name}`;
      const column = byPath.get(path);
      const inside = (one: unknown) => (isObject(one) ? objectOf(one, `${path}.`) : undefined);
      const converted = column
        ? fieldValue(value, column)
        : Array.isArray(value)
          ? value.flatMap((one) => inside(one) ?? [])
          : inside(value);
      if (converted === undefined || (Array.isArray(converted) && converted.length === 0)) continue;
      doc[nameIn(column?.field ?? byPrefix(columns, path))] = converted;
    }
    return doc;
  };
  return (row) => ({ id: id ? String(row[id.path]) : hashOf(row), doc: objectOf(row, "") });
}

const nameIn = (field: string) => field.slice(field.lastIndexOf(".") + 1);

/** Returns the field of an object, by one of the columns in it. */
function byPrefix(columns: readonly Column[], path: string): string {
  const inside = columns.find((column) => column.path.startsWith(`${path}.`));
  return inside?.field.split(".").slice(0, path.split(".").length).join(".") ?? path;
}

const hashOf = (row: Row) => createHash("sha256").update(JSON.stringify(row)).digest("hex").slice(0, 20);

function convertOne(value: unknown, { type, decimal, dates, list, html }: Column): unknown {
  const text = String(value);
  if (list !== undefined) return listOf(text, list);
  if (type === "boolean") return typeof value === "boolean" ? value : truthOf(text);
  if (type === "long" || type === "double")
    return typeof value === "number" ? value : numberOf(text, decimal ?? "point");
  if (type === "date") return dateOf(text, dates?.[0] ?? "iso");
  if (html) return textOfHtml(text);
  return type === "text" || typeof value === "string" ? text.trim() : text;
}

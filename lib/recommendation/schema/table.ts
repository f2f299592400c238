import { type AvroSchema, typesOf } from "../../config/avro.ts";

const HEADER = ["Field", "Data type", "Categorical", "Textual"] as const;

/** Formats the fields of a schema as a table: types as `float or null`, flags as O (yes) or X (no). */
export function schemaTable(schema: AvroSchema): string {
  const flag = (value: boolean | undefined) => (value ? "O" : "X");
  const rows = schema.fields.map((field) => [
    field.name,
    typesOf(field).join(" or "),
    flag(field.categorical),
    flag(field.textual),
  ]);
  const widths = HEADER.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? "").length)),
  );
  const line = (cells: readonly string[]) => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")} |`;
  return [line(HEADER), `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`, ...rows.map(line)].join("\n");
}

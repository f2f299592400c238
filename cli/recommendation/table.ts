/** Rows below a header, columns as wide as they need to be, two blanks apart. */
export function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return [line(header), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)].join("\n");
}

/** A time as tables show it: `2025-03-02 08:00:00Z`; empty without one. */
export function shownTime(iso: string | undefined): string {
  return iso === undefined ? "" : `${iso.slice(0, 19).replace("T", " ")}Z`;
}

/**
 * The beginning of text that a spreadsheet takes for a formula, also after a cell that starts with apostrophes. Source:
 * "CSV Injection", OWASP.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;

/**
 * Writes CSV with a header, for people who open it in a spreadsheet: text that would be a formula there gets an
 * apostrophe in front, which `textOf` takes away.
 */
export function csv(
  header: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  delimiter: string = ",",
): string {
  const cell = (value: string | number) => {
    const text = typeof value === "string" && FORMULA.test(value) ? `'${value}` : String(value);
    const isQuoted = text.includes(delimiter) || /["\r\n]|^\s|\s$/.test(text);
    return isQuoted ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [header, ...rows].map((row) => `${row.map(cell).join(delimiter)}\n`).join("");
}

/** Returns the text that `csv` wrote into a cell. */
export const textOf = (cell: string): string => (cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell);

/** How many characters of a rejected row to keep. */
const MAX_SHOWN = 2_000;

/** Formats a rejected row as a line of a rejects file. */
export function rejectLine(reject: { source: string; line?: number; reason: string; row?: unknown }): string {
  const row = typeof reject.row === "string" ? reject.row : JSON.stringify(reject.row);
  return `${JSON.stringify({ ...reject, ...(row !== undefined && { row: row.slice(0, MAX_SHOWN) }) })}\n`;
}

/** Joins the problems of a record into one reason. */
export function reasonOf(issues: readonly { path: string; message: string }[]): string {
  return issues.map(({ path, message }) => (path ? `${path} ${message}` : message)).join("; ");
}

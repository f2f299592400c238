/** Characters of a rejected row that are kept. */
const MAX_SHOWN = 2_000;

/** One row that was left out, as a line of a rejects file. */
export function rejectLine(reject: { source: string; line?: number; reason: string; row?: unknown }): string {
  const row = typeof reject.row === "string" ? reject.row : JSON.stringify(reject.row);
  return `${JSON.stringify({ ...reject, ...(row !== undefined && { row: row.slice(0, MAX_SHOWN) }) })}\n`;
}

/** The problems of a record as one reason. */
export function reasonOf(issues: readonly { path: string; message: string }[]): string {
  return issues.map(({ path, message }) => (path ? `${path} ${message}` : message)).join("; ");
}

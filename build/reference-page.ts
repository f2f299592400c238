/** Returns a page of docs/reference: a title, what it is about, and sections. */
export const page = (title: string, about: string, sections: readonly string[]): string =>
  `# ${title}\n\nWritten by \`make reference\` from the code; do not edit. ${about}\n${sections.join("")}`;

/** Returns a section with a table; cells may contain Markdown. */
export function tableSection(title: string, head: readonly string[], rows: ReadonlyArray<readonly string[]>): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`;
  return `\n## ${title}\n\n${line(head)}|${"---|".repeat(head.length)}\n${rows.map(line).join("")}`;
}

/** Returns rows of names, as code, and their meanings. */
export const meanings = (of: Readonly<Record<string, string>>): string[][] =>
  Object.entries(of).map(([name, meaning]) => [`\`${name}\``, meaning]);

import { createColors } from "picocolors";
import { formatSummary } from "./format.ts";
import type { PlanSummary } from "./summary.ts";

/** The most characters of a plan in a comment: GitHub takes 65,536 in all. */
const MAX_CHARACTERS = 60_000;

/** Formats a plan as Markdown for a pull request, with the digest that approves it. Ends with a line end. */
export function markdownSummary(project: string, summary: PlanSummary, digest: string): string {
  const text = formatSummary(summary, createColors(false));
  const shown =
    text.length <= MAX_CHARACTERS
      ? text
      : `${text.slice(0, MAX_CHARACTERS)}\n… and ${text.length - MAX_CHARACTERS} more characters: run \`relevance plan\``;
  // A value in the plan may contain a fence.
  const longest = Math.max(2, ...[...shown.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = "`".repeat(longest + 1);
  return [
    `### Plan of ${project}: ${summary.changes ? "changes" : "nothing to change"}`,
    `${fence}text\n${shown}\n${fence}`,
    `Digest: \`${digest}\``,
    "",
  ].join("\n\n");
}

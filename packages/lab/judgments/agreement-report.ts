import { Failure, UsageError } from "@relevance/lib/platform/failure.ts";
import { table } from "@relevance/lib/platform/table.ts";
import { type Agreement, agreementOf, agreementText } from "./agreement.ts";
import { judgmentsAbout } from "./doubts.ts";
import type { Judgment } from "./judgments.ts";
import { readJudgmentsFile } from "./read.ts";
import { JudgmentsError } from "./text.ts";

/** Returns how far the raters of a judgments file agree about an index. Throws UsageError, and Failure with fewer than two. */
export function agreementInFile(file: string, index: string | undefined): Agreement {
  const agreement = agreementOf(rowsOf(file, index));
  if (agreement) return agreement;
  throw new Failure(`${file} has judgments of fewer than two raters with names: the column rater names them`);
}

function rowsOf(file: string, index: string | undefined): readonly Judgment[] {
  try {
    const read = readJudgmentsFile(file);
    if (index !== undefined) return judgmentsAbout(read, index);
    const indexes = [...new Set(read.rows.flatMap((row) => row.index || []))].sort();
    if (indexes.length < 2) return read.rows;
    throw new UsageError(`${file} is about several indexes, ${indexes.join(", ")}: choose one with --index`);
  } catch (error) {
    if (error instanceof JudgmentsError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

/** Returns how far raters agree, and a table of what they grade differently. */
export function agreementReport(agreement: Agreement): string {
  const { raters, disagreements } = agreement;
  const open = disagreements.filter(({ adjudicated }) => !adjudicated).length;
  const rows = Object.entries(raters).map(([name, count]) => [name, String(count)]);
  return [
    table(["rater", "judgments"], rows),
    `\n${agreementText(agreement)}`,
    `${disagreements.length} disagreements, ${open} of them not decided.`,
    ...(disagreements.length > 0 ? [`\n${disagreementsTable(agreement)}`] : []),
  ].join("\n");
}

function disagreementsTable({ raters, disagreements }: Agreement): string {
  const names = Object.keys(raters);
  return table(
    ["query", "document", ...names, "decided"],
    disagreements.map(({ query, document, grades, adjudicated }) => [
      ...[query, document],
      ...names.map((name) => String(grades[name] ?? "")),
      adjudicated ? `${adjudicated.grade} by ${adjudicated.by}` : "",
    ]),
  );
}

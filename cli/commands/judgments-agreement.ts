import * as v from "valibot";
import { Failure, UsageError } from "../../lib/platform/failure.ts";
import { table } from "../../lib/platform/table.ts";
import type { Agreement } from "../../packages/lab/judgments/agreement.ts";
import { defineCommand } from "../command.ts";
import { argument, maybe, option } from "../options.ts";

/** `relevance judgments agreement`: says how far the raters of a judgments file agree, and where they do not. */
export const command = defineCommand({
  example: "relevance judgments agreement judgments/judgments.csv --index books",
  json: true,
  options: {
    file: argument("<file>", "judgments file with a column rater", v.string()),
    index: option("--index <name>", "use only judgments about this index", maybe),
  },
  run: async ({ file, index, json }, { terminal }) => {
    const { agreementOf, agreementText } = await import("../../packages/lab/judgments/agreement.ts");
    const found = agreementOf(await rowsOf(file, index));
    if (!found) {
      throw new Failure(`${file} has judgments of fewer than two raters with names: the column rater names them`);
    }
    if (json) {
      terminal.printJson({ ...found, value: found.value ?? null, interval: found.interval ?? null });
      return 0;
    }
    const { raters, disagreements } = found;
    terminal.print(
      table(
        ["rater", "judgments"],
        Object.entries(raters).map(([name, count]) => [name, String(count)]),
      ),
    );
    terminal.print(`\n${agreementText(found)}`);
    const open = disagreements.filter(({ adjudicated }) => !adjudicated).length;
    terminal.print(`${disagreements.length} disagreements, ${open} of them not decided.`);
    if (disagreements.length > 0) terminal.print(`\n${disagreementsTable(found)}`);
    return 0;
  },
});

async function rowsOf(file: string, index: string | undefined) {
  const { JudgmentsError } = await import("../../packages/lab/judgments/text.ts");
  const { readJudgmentsFile } = await import("../../packages/lab/judgments/read.ts");
  const { judgmentsAbout } = await import("../../packages/lab/judgments/doubts.ts");
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

import * as v from "valibot";
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
    const { agreementReport, agreementInFile } = await import("../../packages/lab/judgments/agreement-report.ts");
    const agreement = agreementInFile(file, index);
    const { value = null, interval = null } = agreement;
    if (json) terminal.printJson({ ...agreement, value, interval });
    else terminal.print(agreementReport(agreement));
  },
});

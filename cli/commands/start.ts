import * as v from "valibot";
import { UsageError } from "../../lib/platform/failure.ts";
import { defineCommand } from "../command.ts";
import { argument, filled, flag, maybe, option } from "../options.ts";

const ORDERS = ["day-first", "month-first"] as const;

/** `relevance start`: makes a search of a file: configuration, index, and a page, on the local stack. */
export const command = defineCommand({
  example: "relevance start products.csv",
  conf: "conf.local",
  options: {
    file: argument("<file>", "CSV with a header line, JSON, or a JSON object a line", filled("needs a file")),
    index: option("--index <name>", "the index (default: the name of the file)", maybe),
    id: option("--id <column>", "the column with the ids (default: recognized, or made of the row)", maybe),
    title: option("--title <column>", "the column with the titles (default: recognized)", maybe),
    dates: option("--dates <order>", "whether 3/4/2024 is in April or March", v.optional(v.picklist(ORDERS)), {
      choices: ORDERS,
    }),
    standIns: flag("--stand-ins", "hash words instead of using small real models, a download of 72 MB"),
    dir: option("--dir <dir>", "folder for data and state", v.string(), { default: ".local" }),
  },
  run: async ({ file, conf, dir, standIns, ...answers }, { terminal, env }) => {
    const { prepare, startStackWith } = await import("../../packages/start/start.ts");
    const { Question } = await import("../../packages/start/question.ts");
    const { devOptions } = await import("../../packages/local/dev/options.ts");
    const { report } = await import("../../packages/local/dev/run.ts");
    const { exitWhenWritten } = await import("../../packages/processes/exit.ts");
    const say = (line: string) => terminal.note(line);
    try {
      const prepared = prepare({ file, folder: ".", answers, say });
      const options = devOptions(
        ["--no-demo", "--conf", conf, "--dir", dir, ...(standIns ? ["--stand-ins"] : [])],
        env,
      );
      if (options) return exitWhenWritten(await startStackWith(prepared, options, say).catch(report));
    } catch (error) {
      if (!(error instanceof Question)) throw error;
      throw new UsageError(
        `${error.message} Say which: ${error.choices.map((one) => `--${error.option} ${one}`).join(", or ")}`,
      );
    }
  },
});

import * as v from "valibot";
import { defineCommand } from "../command.ts";
import { paintWith } from "../paint.ts";
import { planStacks } from "../plan/planned.ts";
import { prepare } from "../plan/prepare.ts";
import { formatSummary } from "../plan/summary/format.ts";
import { openSession, runnerOf } from "../session.ts";

/** `relevance plan`: shows what a deployment would change. */
export const plan = defineCommand({
  example: "relevance plan --conf conf --detailed-exitcode",
  json: true,
  define: (command) => {
    command.option("--detailed-exitcode", "exit with code 3 if there are changes", false);
  },
  options: { detailedExitcode: v.boolean() },
  run: async ({ conf, json, detailedExitcode }, context) => {
    const session = openSession(conf, context);
    const runner = await runnerOf(session);
    const { stacks, notes } = await prepare(session, runner);
    const { plans: folder } = session.folders;
    const { summary } = await planStacks(runner, stacks, { folder, notes });
    const { terminal } = context;
    if (json) terminal.printJson(summary);
    else terminal.print(`\n${formatSummary(summary, paintWith(terminal.colors))}`);
    terminal.note(`\nFull plans: ${folder}/*.txt`);
    return detailedExitcode && summary.changes ? 3 : 0;
  },
});

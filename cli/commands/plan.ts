import * as v from "valibot";
import { defineCommand } from "../command.ts";
import { planStacks } from "../plan/planned.ts";
import { prepare } from "../plan/prepare.ts";
import { emptyFolder, writeReviewedPlan } from "../plan/reviewed.ts";
import { formatSummary } from "../plan/summary/format.ts";
import { openSession, runnerOf } from "../session.ts";

/** `relevance plan`: shows what a deployment would change. */
export const command = defineCommand({
  example: "relevance plan --conf conf --detailed-exitcode",
  json: true,
  define: (command) => {
    command
      .option("--detailed-exitcode", "exit with code 3 if there are changes", false)
      .option("--out <dir>", "save the plan in a new folder, for `relevance deploy --plan <dir>`");
  },
  options: { detailedExitcode: v.boolean(), out: v.optional(v.pipe(v.string(), v.nonEmpty("needs a folder"))) },
  run: async ({ conf, json, detailedExitcode, out }, context) => {
    const session = await openSession(conf, context, { starts: true });
    if (out !== undefined) await emptyFolder(out);
    const runner = await runnerOf(session);
    const prepared = await prepare(session, runner);
    const folder = out ?? session.folders.plans;
    const planned = await planStacks(runner, prepared.stacks, { folder, notes: prepared.notes });
    const { summary } = planned;
    const id = out === undefined ? undefined : await writeReviewedPlan(session, runner, { folder, prepared, planned });
    const { terminal } = context;
    if (json) terminal.printJson({ ...summary, ...(id !== undefined && { id }) });
    else terminal.print(`\n${formatSummary(summary, terminal.colors)}`);
    terminal.note(`\nFull plans: ${folder}/*.txt`);
    if (id !== undefined) terminal.note(`Plan ${id}: apply exactly this with \`relevance deploy --plan ${folder}\``);
    return detailedExitcode && summary.changes ? 3 : 0;
  },
});

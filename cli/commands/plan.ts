import * as v from "valibot";
import { UsageError } from "../../lib/platform/failure.ts";
import { defineCommand } from "../command.ts";
import { filled, flag, option } from "../options.ts";
import { planDigest } from "../plan/digest.ts";
import { fullPlans, planStacks } from "../plan/planned.ts";
import { prepare } from "../plan/prepare.ts";
import { addMonthlySum } from "../plan/prices.ts";
import { emptyFolder, writeReviewedPlan } from "../plan/reviewed.ts";
import { formatSummary } from "../plan/summary/format.ts";
import { markdownSummary } from "../plan/summary/markdown.ts";
import { openSession, withTerraform } from "../project.ts";

/** `relevance plan`: shows what a deployment would change. */
export const command = defineCommand({
  example: "relevance plan --conf conf --detailed-exitcode",
  json: true,
  options: {
    detailedExitcode: flag("--detailed-exitcode", "exit with code 3 if there are changes"),
    markdown: flag(
      "--markdown",
      "print Markdown for a pull request, with the digest for `relevance deploy --approved-digest`",
    ),
    out: option(
      "--out <dir>",
      "save the plan in a new folder, for `relevance deploy --plan <dir>`",
      v.optional(filled("needs a folder")),
    ),
  },
  run: async ({ conf, json, markdown, detailedExitcode, out }, context) => {
    if (json && markdown) throw new UsageError("--json and --markdown: choose one");
    const session = await openSession(conf, context, { starts: true });
    if (out !== undefined) await emptyFolder(out);
    const project = await withTerraform(session);
    const { config, folders, runner } = project;
    const prepared = await prepare(project);
    const folder = out ?? folders.plans;
    const planned = await planStacks(runner, prepared.stacks, { ...prepared, folder });
    await addMonthlySum(project, planned);
    const { summary } = planned;
    const id = out === undefined ? undefined : await writeReviewedPlan(project, { folder, prepared, planned });
    const digest = planDigest({ config, prepared }, planned);
    const { terminal } = context;
    if (json) terminal.printJson({ ...summary, digest, ...(id !== undefined && { id }) });
    else if (markdown) terminal.print(markdownSummary(config.project.project_name, summary, digest));
    else terminal.print(`\n${formatSummary(summary, terminal.colors)}`);
    terminal.note(`\n${fullPlans(planned)}`);
    if (id !== undefined) terminal.note(`Plan ${id}: apply exactly this with \`relevance deploy --plan ${folder}\``);
    return detailedExitcode && summary.changes ? 3 : 0;
  },
});

import * as v from "valibot";
import { deployProject, deployReviewed } from "../apply/deploy-project.ts";
import { type Context, defineCommand, type ExitCode, resumable } from "../command.ts";
import { openSession } from "../session.ts";

/** `relevance deploy`: shows a plan, applies exactly that plan, and checks that the API works. */
export const command = defineCommand({
  example:
    "relevance deploy --conf conf\n  relevance deploy --plan reviewed --yes    # after relevance plan --out reviewed\n" +
    "  RELEVANCE_LOCAL=1 relevance deploy        # to an account on this machine, as make deploy LOCAL=1",
  define: (command) => {
    command
      .option("--yes", "apply without asking", false)
      .option("--plan <dir>", "apply exactly the plan that `relevance plan --out <dir>` saved");
  },
  options: { yes: v.boolean(), plan: v.optional(v.pipe(v.string(), v.nonEmpty("needs a folder"))) },
  run: async ({ conf, yes, plan }, context: Context): Promise<ExitCode> => {
    const session = await openSession(conf, context, { starts: true });
    await session.local?.serveModels();
    const work = () => (plan === undefined ? deployProject(session, { yes }) : deployReviewed(session, plan, { yes }));
    return resumable(context.terminal, work);
  },
});

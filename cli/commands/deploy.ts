import * as v from "valibot";
import { deployProject, deployReviewed } from "../apply/deploy-project.ts";
import { type Context, defineCommand, type ExitCode, resumable } from "../command.ts";
import { filled, flag, option, yes } from "../options.ts";
import { openSession, withTerraform } from "../project.ts";

/** `relevance deploy`: shows a plan, applies exactly that plan, and checks that the API works. */
export const command = defineCommand({
  example: [
    "relevance deploy --conf conf",
    "relevance deploy --plan reviewed --yes       # after relevance plan --out reviewed",
    "relevance deploy --approved-digest 3f0c…     # after relevance plan --markdown",
    "RELEVANCE_LOCAL=1 relevance deploy           # to an account on this machine, as make deploy LOCAL=1",
  ].join("\n  "),
  options: {
    ...yes("apply without asking"),
    printKeys: flag(
      "--no-print-keys",
      "print the names of the API keys without their values, as in a log that others read",
    ),
    plan: option(
      "--plan <dir>",
      "apply exactly the plan that `relevance plan --out <dir>` saved",
      v.optional(filled("needs a folder")),
    ),
    approvedDigest: option(
      "--approved-digest <digest>",
      "apply without asking, but only a plan with the digest that `relevance plan --markdown` printed",
      v.optional(v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/, "must be a digest: 64 digits and letters from a to f"))),
      { conflicts: ["plan"] },
    ),
  },
  run: async ({ conf, plan, yes, printKeys, approvedDigest }, context: Context): Promise<ExitCode> => {
    const session = await openSession(conf, context, { starts: true });
    await session.local?.serveModels();
    const options = { yes, printKeys, approvedDigest };
    const work = async () => {
      const project = await withTerraform(session);
      return plan === undefined ? deployProject(project, options) : deployReviewed(project, plan, options);
    };
    return resumable(context.terminal, work);
  },
});

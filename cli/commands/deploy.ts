import * as v from "valibot";
import { type Context, defineCommand, type ExitCode } from "../command.ts";
import { deployProject } from "../deploy/deploy-project.ts";
import { resumable } from "../deploy/resumable.ts";
import { openSession } from "../deploy/session.ts";

/** `relevance deploy`: plans, shows the plan, applies exactly that, and proves that the API works. */
export const deploy = defineCommand({
  example: "relevance deploy --conf conf",
  define: (command) => {
    command.option("--yes", "apply without a question", false);
  },
  options: { yes: v.boolean() },
  run: ({ conf, yes }, context: Context): Promise<ExitCode> =>
    resumable(context.terminal, () => deployProject(openSession(conf, context), { yes })),
});

import * as v from "valibot";
import { deployProject } from "../apply/deploy-project.ts";
import { type Context, defineCommand, type ExitCode } from "../command.ts";
import { resumable } from "../resumable.ts";
import { openSession } from "../session.ts";

/** `relevance deploy`: shows a plan, applies exactly that plan, and checks that the API works. */
export const deploy = defineCommand({
  example: "relevance deploy --conf conf",
  define: (command) => {
    command.option("--yes", "apply without asking", false);
  },
  options: { yes: v.boolean() },
  run: ({ conf, yes }, context: Context): Promise<ExitCode> =>
    resumable(context.terminal, () => deployProject(openSession(conf, context), { yes })),
});

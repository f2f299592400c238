import * as v from "valibot";
import { cancelRun } from "../../lib/search/index/rebuild/finish.ts";
import { defineCommand } from "../command.ts";
import { ADMINISTRATION, defineGatewayOptions, gatewayOptions, openGateway } from "../gateway/gateway.ts";
import { reported, runCalls } from "../gateway/index-runs.ts";

/** `relevance index cancel`: ends a run and deletes its new index, or the records of one that has ended. */
export const command = defineCommand({
  example: "relevance index cancel --run books-20261123-091500-a1b2",
  define: (command) => {
    command
      .requiredOption("--run <run>", "the run")
      .option("--forget", "delete the records of a run that has ended; `index switch` can then no longer roll it back");
    defineGatewayOptions(command);
  },
  options: {
    ...gatewayOptions,
    run: v.pipe(v.string(), v.nonEmpty("needs the id of a run")),
    forget: v.optional(v.boolean(), false),
  },
  run: async ({ run, forget, ...options }, context) => {
    const calls = runCalls(await openGateway(options, context, ADMINISTRATION), context);
    context.terminal.print(await reported(() => cancelRun(calls, run, forget)));
    return 0;
  },
});

import { cancelRun } from "../../lib/search/index/rebuild/finish.ts";
import { defineCommand } from "../command.ts";
import { ADMINISTRATION, gatewayOptions, openGateway } from "../gateway/gateway.ts";
import { reported, runCalls } from "../gateway/index-runs.ts";
import { filled, flag, option } from "../options.ts";

/** `relevance index cancel`: ends a run and deletes its new index, or the records of one that has ended. */
export const command = defineCommand({
  example: "relevance index cancel --run books-20261123-091500-a1b2",
  options: {
    run: option("--run <run>", "the run", filled("needs the id of a run")),
    forget: flag(
      "--forget",
      "delete the records of a run that has ended; `index switch` can then no longer roll it back",
    ),
    ...gatewayOptions,
  },
  run: async ({ run, forget, ...options }, context) => {
    const calls = runCalls(await openGateway(options, context, ADMINISTRATION), context);
    context.terminal.print(await reported(() => cancelRun(calls, run, forget)));
  },
});

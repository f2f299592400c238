import * as v from "valibot";
import { defineCommand } from "../command.ts";
import { readStatus, statusText } from "../recommendation/status.ts";
import { LOCAL_HELP, openTarget } from "../recommendation/target.ts";

/** `relevance status`: shows the project's resources in Personalize, and the current training. */
export const command = defineCommand({
  example: "relevance status\n  relevance status --local",
  json: true,
  define: (command) => {
    command.option("--local", LOCAL_HELP);
  },
  options: { local: v.optional(v.boolean(), false) },
  run: async ({ conf, local, json }, context) => {
    const target = await openTarget({ conf, local }, context);
    const found = await readStatus(target);
    const { terminal } = context;
    if (json) terminal.printJson(found);
    else terminal.print(statusText(found, target.names, terminal.colors.bold));
    return 0;
  },
});

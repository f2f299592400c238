import { apisJson, findDeployedApis, printApis } from "../apply/after-deploy.ts";
import { defineCommand } from "../command.ts";
import { flag } from "../options.ts";
import { accountOf, namesIn, openSession } from "../session.ts";

/** `relevance info`: prints the URL and the API keys of each deployed service, and the alarm topics. */
export const command = defineCommand({
  example: "relevance info --show",
  json: true,
  options: { show: flag("--show", "print the values of the keys") },
  run: async ({ conf, json, show }, context) => {
    const session = await openSession(conf, context);
    const { terminal } = context;
    const names = namesIn(session, await accountOf(session));
    const apis = await findDeployedApis(session, names);
    const shown = { names, alarms: session.config.project.alarms, show };
    if (json) {
      terminal.printJson(apisJson(apis, shown));
      return 0;
    }
    if (apis.length === 0) terminal.note("No service is deployed: run `relevance deploy`.");
    printApis(terminal, apis, shown);
    return 0;
  },
});

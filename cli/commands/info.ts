import { apisJson, findDeployedApis, printApis } from "../apply/after-deploy.ts";
import { defineCommand } from "../command.ts";
import { flag } from "../options.ts";
import { openProject } from "../project.ts";

/** `relevance info`: prints the URL and the API keys of each deployed service, and the alarm topics. */
export const command = defineCommand({
  example: "relevance info --show",
  json: true,
  options: { show: flag("--show", "print the values of the keys") },
  run: async ({ conf, json, show }, context) => {
    const project = await openProject({ conf }, context);
    const { terminal, names, config } = project;
    const apis = await findDeployedApis(project);
    const shown = { names, alarms: config.project.alarms, show };
    if (json) {
      terminal.printJson(apisJson(apis, shown));
      return 0;
    }
    if (apis.length === 0) terminal.note("No service is deployed: run `relevance deploy`.");
    printApis(terminal, apis, shown);
  },
});

import { findDeployedApis, proveGateway } from "../apply/after-deploy.ts";
import { rollBack } from "../apply/rollback.ts";
import { defineCommand, resumable } from "../command.ts";
import { yes } from "../options.ts";
import { openProject } from "../project.ts";

/** `relevance rollback`: puts the functions back to the versions of the deployment before. */
export const command = defineCommand({
  example: "relevance rollback",
  options: yes("roll back without asking"),
  run: async ({ conf, yes }, context) => {
    const project = await openProject({ conf }, context);
    const moves = await resumable(context.terminal, () => rollBack(project, { yes }));
    context.terminal.note("The next `relevance deploy` moves the functions forward again.");
    if (!moves.some(({ name }) => name === "api-router")) return 0;
    const gateway = (await findDeployedApis(project)).find(({ service }) => service === "search-gateway");
    return !gateway || (await proveGateway(project, gateway)) ? 0 : 1;
  },
});

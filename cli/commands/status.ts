import { lambdaInvoke, probeServices } from "../apply/probes.ts";
import { confOf, defineCommand } from "../command.ts";
import { local } from "../options.ts";
import { hostsOnBedrock } from "../permissions/grants.ts";
import { inAccount, openSession } from "../project.ts";
import { readStatus, statusText } from "../recommendation/status.ts";
import { openTarget } from "../recommendation/target.ts";

/** `relevance status`: shows the project's resources in Personalize and the current training, and calls Bedrock's models. */
export const command = defineCommand({
  example: "relevance status\n  relevance status --local",
  json: true,
  options: local,
  run: async ({ conf, local, json }, context) => {
    const session = await openSession(confOf({ conf, local }), context);
    const { searchGateway, recommendation } = session.config;
    // Bedrock may deny a model up to 15 minutes after the first calls. Source: Bedrock User Guide, "Access Amazon Bedrock
    // foundation models".
    const hosted = !local && searchGateway !== undefined && hostsOnBedrock(searchGateway);
    if (recommendation || !hosted) {
      const target = await openTarget({ conf, local }, context);
      const found = await readStatus(target);
      const { terminal } = context;
      if (json) terminal.printJson(found);
      else terminal.print(statusText(found, target.names, terminal.colors.bold));
    }
    if (hosted) {
      const project = await inAccount(session);
      await probeServices(project, await lambdaInvoke(project), { timeoutMs: 0, intervalMs: 0 });
    }
  },
});

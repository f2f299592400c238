import { defineCommand } from "../command.ts";
import { findDeployedApis, printApis } from "../deploy/after-deploy.ts";
import { accountOf, namesIn, openSession } from "../deploy/session.ts";

/** `relevance info`: URL and API key of each deployed service. */
export const info = defineCommand({
  example: "relevance info --json",
  json: true,
  options: {},
  run: async ({ conf, json }, context) => {
    const session = openSession(conf, context);
    const { terminal } = context;
    const apis = await findDeployedApis(session, namesIn(session, await accountOf(session)));
    if (json) {
      terminal.printJson(
        Object.fromEntries(
          apis.map(({ service, url, executeUrl, keys }) => [
            service,
            { url, execute_url: executeUrl, api_keys: keys.map(({ value }) => value) },
          ]),
        ),
      );
      return 0;
    }
    if (apis.length === 0) terminal.note("No service is deployed: `relevance deploy` does it.");
    printApis(terminal, apis);
    return 0;
  },
});

import { loadConfiguration } from "../../lib/config/load.ts";
import { ConfigurationError } from "../../lib/config/problem.ts";
import { defineCommand } from "../command.ts";

/** `relevance validate`: checks the configuration offline. */
export const command = defineCommand({
  example: "relevance validate --conf conf",
  json: true,
  options: {},
  run: async ({ conf, json }, { terminal }) => {
    try {
      const { searchGateway, recommendation } = loadConfiguration(conf);
      const services = [...(searchGateway ? ["search-gateway"] : []), ...(recommendation ? ["recommendation"] : [])];
      if (json) terminal.printJson({ valid: true, services, problems: [] });
      else terminal.print(terminal.colors.green(`${conf} is valid. It deploys: ${services.join(", ")}`));
      return 0;
    } catch (error) {
      if (!json || !(error instanceof ConfigurationError)) throw error;
      terminal.printJson({ valid: false, services: [], problems: error.problems });
      return 2;
    }
  },
});

import type { Family, RouterOptions } from "../../lib/platform/http/router.ts";
import { mcpHandler } from "../../lib/platform/mcp/handler.ts";
import type { GatewayServices } from "../../lib/search/gateway/services.ts";
import { templateTools } from "../../lib/search/tools/templates.ts";
import { namesThereAre } from "../../lib/settings/nearest.ts";
import { served } from "./served.ts";

/** POST /mcp */
export function mcpFamily(services: GatewayServices, load: RouterOptions["load"]): Family {
  return {
    [served.mcp.path]: mcpHandler({
      ...{ api: services.api, load, routes: [served.search, served.hybridSearch] },
      name: "relevance-search",
      instructions: "Searches. Each tool is one search, whose hits come best first.",
      namesThereAre,
      toolsOf: async ({ caller }) => templateTools(services.settings, caller),
    }),
  };
}

import type { Family, RouterOptions } from "../../lib/platform/http/router.ts";
import { mcpHandler } from "../../lib/platform/mcp/handler.ts";
import { readPlacements } from "../../lib/recommendation/placements/visit.ts";
import type { RecommendationServices } from "../../lib/recommendation/service/services.ts";
import { placementTools } from "../../lib/recommendation/tools/placements.ts";
import { namesThereAre } from "../../lib/settings/nearest.ts";
import { served } from "./served.ts";

/** POST /mcp */
export function mcpFamily(services: RecommendationServices, load: RouterOptions["load"]): Family {
  return {
    [served.mcp.path]: mcpHandler({
      ...{ api: services.api, load, routes: [served.placement] },
      name: "relevance-recommendation",
      instructions: "Recommendations. Each tool is one list of items; show them in the order given.",
      namesThereAre,
      toolsOf: async ({ caller, deadline }) =>
        placementTools((await readPlacements(services, deadline)).content, caller),
    }),
  };
}

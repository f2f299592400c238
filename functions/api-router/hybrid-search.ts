import { jsonHandler } from "../../lib/core/http/json-handler.ts";
import type { Family } from "../../lib/core/http/router.ts";
import { hybridSearch } from "../../lib/search/api/hybrid/hybrid-search.ts";
import { HybridRequest } from "../../lib/search/api/hybrid/request.ts";
import type { GatewayServices } from "../../lib/search/gateway/services.ts";

/** POST /application/hybrid-search */
export function hybridSearchFamily(services: GatewayServices): Family {
  return {
    "/application/hybrid-search": jsonHandler({
      api: services.api,
      schema: HybridRequest,
      queries: true,
      handle: (call) => hybridSearch(services, call),
    }),
  };
}

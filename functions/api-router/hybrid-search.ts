import type { GatewayServices } from "../../lib/gateway/services.ts";
import { jsonHandler } from "../../lib/http/json-handler.ts";
import type { Family } from "../../lib/http/router.ts";
import { hybridSearch } from "../../lib/hybrid/hybrid-search.ts";
import { HybridRequest } from "../../lib/hybrid/request.ts";

/** POST /application/hybrid-search */
export function hybridSearchFamily(services: GatewayServices): Family {
  return {
    "/application/hybrid-search": jsonHandler({
      api: services.api,
      schema: HybridRequest,
      handle: (call) => hybridSearch(services, call),
    }),
  };
}

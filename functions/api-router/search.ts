import type { GatewayServices } from "../../lib/gateway/services.ts";
import { jsonHandler } from "../../lib/http/json-handler.ts";
import type { Family } from "../../lib/http/router.ts";
import { SearchRequest } from "../../lib/search/request.ts";
import { search } from "../../lib/search/search.ts";

/** POST /application/search */
export function searchFamily(services: GatewayServices): Family {
  return {
    "/application/search": jsonHandler({
      api: services.api,
      schema: SearchRequest,
      handle: (call) => search(services, call),
    }),
  };
}

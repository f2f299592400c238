import { jsonHandler } from "../../lib/core/http/body-handlers.ts";
import type { Family } from "../../lib/core/http/router.ts";
import { AnySearchRequest } from "../../lib/search/api/search/request.ts";
import { search } from "../../lib/search/api/search/search.ts";
import type { GatewayServices } from "../../lib/search/gateway/services.ts";

/** POST /application/search */
export function searchFamily(services: GatewayServices): Family {
  return {
    "/application/search": jsonHandler({
      api: services.api,
      schema: AnySearchRequest,
      queries: true,
      handle: (call) => search(services, call),
    }),
  };
}

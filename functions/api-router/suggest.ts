import { jsonHandler } from "../../lib/platform/http/body-handlers.ts";
import type { Family } from "../../lib/platform/http/router.ts";
import type { GatewayServices } from "../../lib/search/gateway/services.ts";
import { SuggestRequest } from "../../lib/search/suggest/request.ts";
import { suggest } from "../../lib/search/suggest/suggest.ts";

/** POST /application/suggest */
export function suggestFamily(services: GatewayServices): Family {
  return {
    "/application/suggest": jsonHandler({ api: services.api, schema: SuggestRequest, handle: suggest(services) }),
  };
}

import { jsonHandler } from "../../lib/platform/http/body-handlers.ts";
import type { Family } from "../../lib/platform/http/router.ts";
import { validate } from "../../lib/platform/http/validate.ts";
import type { OneSearch } from "../../lib/search/api/multi/multi-search.ts";
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

/** Answers a search that is one of several. */
export const oneSearch: OneSearch = async (services, call) =>
  search(services, { ...call, body: validate(AnySearchRequest, call.body) });

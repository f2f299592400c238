import { jsonHandler } from "../../lib/platform/http/body-handlers.ts";
import type { Family } from "../../lib/platform/http/router.ts";
import { validate } from "../../lib/platform/http/validate.ts";
import type { GatewayServices } from "../../lib/search/gateway/services.ts";
import type { OneSearch } from "../../lib/search/run/multi-search.ts";
import { AnySearchRequest } from "../../lib/search/run/request.ts";
import { runSearch } from "../../lib/search/run/run.ts";
import { native } from "../../lib/search/sources/native.ts";

/** POST /application/search */
export function searchFamily(services: GatewayServices): Family {
  return {
    "/application/search": jsonHandler({
      api: services.api,
      schema: AnySearchRequest,
      queries: true,
      handle: (call) => runSearch(native, services, call),
    }),
  };
}

/** Answers a search that is one of several. */
export const oneSearch =
  (services: GatewayServices): OneSearch =>
  async (call) =>
    runSearch(native, services, { ...call, body: validate(AnySearchRequest, call.body) });

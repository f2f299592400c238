import { jsonHandler } from "../../lib/platform/http/body-handlers.ts";
import type { Family } from "../../lib/platform/http/router.ts";
import type { GatewayServices } from "../../lib/search/gateway/services.ts";
import { MultiSearchRequest, multiSearch } from "../../lib/search/run/multi-search.ts";

/** POST /application/multi-search */
export function multiSearchFamily(services: GatewayServices): Family {
  // The same chunks as those of their own endpoints, loaded by the first search of the kind.
  const searches = {
    search: async () => (await import("./search.ts")).oneSearch(services),
    "hybrid-search": async () => (await import("./hybrid-search.ts")).oneHybridSearch(services),
  };
  return {
    "/application/multi-search": jsonHandler({
      api: services.api,
      schema: MultiSearchRequest,
      splitHint: "Split the searches into several requests.",
      handle: (call) => multiSearch(services, searches, call),
    }),
  };
}

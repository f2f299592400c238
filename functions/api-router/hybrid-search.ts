import { jsonHandler } from "../../lib/platform/http/body-handlers.ts";
import type { Family } from "../../lib/platform/http/router.ts";
import { validate } from "../../lib/platform/http/validate.ts";
import type { GatewayServices } from "../../lib/search/gateway/services.ts";
import type { OneSearch } from "../../lib/search/run/multi-search.ts";
import { runSearch } from "../../lib/search/run/run.ts";
import { hybrid } from "../../lib/search/sources/hybrid/hybrid-search.ts";
import { CandidatesRequest, HybridRequest } from "../../lib/search/sources/hybrid/request.ts";

/** POST /application/hybrid-search and its candidates */
export function hybridSearchFamily(services: GatewayServices): Family {
  return {
    "/application/hybrid-search": jsonHandler({
      api: services.api,
      schema: HybridRequest,
      queries: true,
      handle: (call) => runSearch(hybrid, services, call),
    }),
    "/application/hybrid-search/candidates": jsonHandler({
      api: services.api,
      schema: CandidatesRequest,
      queries: true,
      handle: async (call) => {
        const { hybridCandidates } = await import("../../lib/search/sources/hybrid/candidates.ts");
        return hybridCandidates(services, call);
      },
    }),
  };
}

/** Answers a hybrid search that is one of several. */
export const oneHybridSearch =
  (services: GatewayServices): OneSearch =>
  async (call) =>
    runSearch(hybrid, services, { ...call, body: validate(HybridRequest, call.body) });

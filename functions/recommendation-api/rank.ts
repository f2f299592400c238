import { jsonHandler } from "../../lib/http/json-handler.ts";
import type { Family } from "../../lib/http/router.ts";
import { rankItems } from "../../lib/recommendation/rank.ts";
import { RankItems } from "../../lib/recommendation/requests.ts";
import type { RecommendationServices } from "../../lib/recommendation/services.ts";

/** POST /rank-items-to-user */
export function rankFamily(services: RecommendationServices): Family {
  return {
    "/rank-items-to-user": jsonHandler({
      api: services.api,
      schema: RankItems,
      handle: (call) => rankItems(services, call),
    }),
  };
}

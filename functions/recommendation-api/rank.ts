import { jsonHandler } from "../../lib/platform/http/body-handlers.ts";
import type { Family } from "../../lib/platform/http/router.ts";
import { rankItems } from "../../lib/recommendation/api/rank.ts";
import { RankItems } from "../../lib/recommendation/api/requests.ts";
import { requirePlacement } from "../../lib/recommendation/placements/access.ts";
import type { RecommendationServices } from "../../lib/recommendation/service/services.ts";

/** POST /rank-items-to-user */
export function rankFamily(services: RecommendationServices): Family {
  return {
    "/rank-items-to-user": jsonHandler({
      api: services.api,
      schema: RankItems,
      handle: (call) => {
        requirePlacement(call.caller, undefined);
        return rankItems(services, call);
      },
    }),
  };
}

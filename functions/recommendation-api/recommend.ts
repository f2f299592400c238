import { jsonHandler } from "../../lib/platform/http/body-handlers.ts";
import type { Family } from "../../lib/platform/http/router.ts";
import { recommendToItem, recommendToUser } from "../../lib/recommendation/api/recommend.ts";
import { RecommendToItem, RecommendToUser } from "../../lib/recommendation/api/requests.ts";
import { requirePlacement } from "../../lib/recommendation/placements/access.ts";
import type { RecommendationServices } from "../../lib/recommendation/service/services.ts";

/** POST /recommend-items-to-user and /recommend-items-to-item */
export function recommendFamily(services: RecommendationServices): Family {
  return {
    "/recommend-items-to-user": jsonHandler({
      api: services.api,
      schema: RecommendToUser,
      handle: (call) => {
        requirePlacement(call.caller, undefined);
        return recommendToUser(services, call);
      },
    }),
    "/recommend-items-to-item": jsonHandler({
      api: services.api,
      schema: RecommendToItem,
      handle: (call) => {
        requirePlacement(call.caller, undefined);
        return recommendToItem(services, call);
      },
    }),
  };
}

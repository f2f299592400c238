import { jsonHandler } from "../../lib/platform/http/body-handlers.ts";
import type { Family } from "../../lib/platform/http/router.ts";
import { rankItems } from "../../lib/recommendation/api/rank.ts";
import { recommendToItem, recommendToUser } from "../../lib/recommendation/api/recommend.ts";
import {
  RankItems,
  RecommendForPlacement,
  RecommendToItem,
  RecommendToUser,
} from "../../lib/recommendation/api/requests.ts";
import { requirePlacement } from "../../lib/recommendation/placements/access.ts";
import { recommendForPlacement } from "../../lib/recommendation/placements/recommend.ts";
import type { RecommendationServices } from "../../lib/recommendation/service/services.ts";

/** POST /recommend-items-to-user, /recommend-items-to-item, /rank-items-to-user and /recommend-for-placement */
export function recommendFamily(services: RecommendationServices): Family {
  const { api } = services;
  return {
    "/recommend-items-to-user": jsonHandler({
      ...{ api, schema: RecommendToUser },
      handle(call) {
        requirePlacement(call.caller, undefined);
        return recommendToUser(services, call);
      },
    }),
    "/recommend-items-to-item": jsonHandler({
      ...{ api, schema: RecommendToItem },
      handle(call) {
        requirePlacement(call.caller, undefined);
        return recommendToItem(services, call);
      },
    }),
    "/rank-items-to-user": jsonHandler({
      ...{ api, schema: RankItems },
      handle(call) {
        requirePlacement(call.caller, undefined);
        return rankItems(services, call);
      },
    }),
    "/recommend-for-placement": jsonHandler({
      ...{ api, schema: RecommendForPlacement },
      handle: (call) => recommendForPlacement(services, call),
    }),
  };
}

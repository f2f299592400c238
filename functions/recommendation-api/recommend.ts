import { jsonHandler } from "../../lib/http/json-handler.ts";
import type { Family } from "../../lib/http/router.ts";
import { recommendToItem, recommendToUser } from "../../lib/recommendation/recommend.ts";
import { RecommendToItem, RecommendToUser } from "../../lib/recommendation/requests.ts";
import type { RecommendationServices } from "../../lib/recommendation/services.ts";

/** POST /recommend-items-to-user and /recommend-items-to-item */
export function recommendFamily(services: RecommendationServices): Family {
  return {
    "/recommend-items-to-user": jsonHandler({
      api: services.api,
      schema: RecommendToUser,
      handle: (call) => recommendToUser(services, call),
    }),
    "/recommend-items-to-item": jsonHandler({
      api: services.api,
      schema: RecommendToItem,
      handle: (call) => recommendToItem(services, call),
    }),
  };
}

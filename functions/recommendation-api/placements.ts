import { jsonHandler } from "../../lib/platform/http/body-handlers.ts";
import type { Family } from "../../lib/platform/http/router.ts";
import { RecommendForPlacement } from "../../lib/recommendation/api/requests.ts";
import { recommendForPlacement } from "../../lib/recommendation/placements/recommend.ts";
import type { RecommendationServices } from "../../lib/recommendation/service/services.ts";

/** POST /recommend-for-placement */
export function placementsFamily(services: RecommendationServices): Family {
  return {
    "/recommend-for-placement": jsonHandler({
      api: services.api,
      schema: RecommendForPlacement,
      handle: (call) => recommendForPlacement(services, call),
    }),
  };
}

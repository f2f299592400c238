import type { GenericSchema, InferOutput } from "valibot";
import { requireListed } from "../../lib/platform/http/access.ts";
import { jsonHandler } from "../../lib/platform/http/body-handlers.ts";
import type { JsonCall, Reply } from "../../lib/platform/http/event.ts";
import type { Family } from "../../lib/platform/http/router.ts";
import { rankItems } from "../../lib/recommendation/api/rank.ts";
import { recommendToItem, recommendToUser } from "../../lib/recommendation/api/recommend.ts";
import {
  RankItems,
  RecommendForPlacement,
  RecommendToItem,
  RecommendToUser,
} from "../../lib/recommendation/api/requests.ts";
import { recommendForPlacement } from "../../lib/recommendation/placements/recommend.ts";
import type { RecommendationServices } from "../../lib/recommendation/service/services.ts";

/** POST /recommend-items-to-user, /recommend-items-to-item, /rank-items-to-user and /recommend-for-placement */
export function recommendFamily(services: RecommendationServices): Family {
  const { api } = services;
  const unnamed = <Schema extends GenericSchema>(
    schema: Schema,
    answer: (services: RecommendationServices, call: JsonCall<InferOutput<Schema>>) => Promise<Reply>,
  ) =>
    jsonHandler({
      ...{ api, schema },
      handle(call) {
        requireListed(call.caller, "placement", undefined);
        return answer(services, call);
      },
    });
  return {
    "/recommend-items-to-user": unnamed(RecommendToUser, recommendToUser),
    "/recommend-items-to-item": unnamed(RecommendToItem, recommendToItem),
    "/rank-items-to-user": unnamed(RankItems, rankItems),
    "/recommend-for-placement": jsonHandler({
      ...{ api, schema: RecommendForPlacement },
      handle: (call) => recommendForPlacement(services, call),
    }),
  };
}

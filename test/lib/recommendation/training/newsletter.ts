import { GetRecommendationsCommand } from "@aws-sdk/client-personalize-runtime";
import type { CampaignClient } from "../../../../lib/personalize/runtime/campaigns.ts";
import { UNLIMITED } from "../../../../lib/platform/http/access.ts";
import { deadlineIn } from "../../../../lib/platform/resilience/deadline.ts";
import { recommendForPlacement } from "../../../../lib/recommendation/placements/recommend.ts";
import type { PlacementServices } from "../../../../lib/recommendation/placements/visit.ts";
import type { TrainingWorld } from "./world.ts";

/** A placement with every stage, and variants with different filters. */
export const NEWSLETTER = {
  name: "newsletter",
  recipe: "user_personalization",
  filter: { name: "category", values: { CATEGORY: "c0,c1,c2" } },
  limit: 8,
  promotions: [{ name: "ones", percent: 50, filter: { name: "category", values: { CATEGORY: "c1" } } }],
  exclude: { out_of_stock: { column: "CATEGORIES", values: ["c3"] } },
  diversity: { category: { column: "CATEGORIES", most: 4 } },
  experiment: {
    name: "length",
    variants: [
      { name: "long", share: 0.5 },
      { name: "short", share: 0.5, settings: { limit: 4, filter: { name: "unseen" }, promotions: [] } },
    ],
  },
};

/** Asks the campaigns over the world's own client. */
export const campaignsOf = ({ runtime }: TrainingWorld): CampaignClient => ({
  async recommend(query) {
    const { filterValues, context: _, ...rest } = query;
    const values = filterValues && { filterValues: { ...filterValues } };
    const { itemList = [], recommendationId = null } = await runtime.send(
      new GetRecommendationsCommand({ ...rest, ...values }),
    );
    return { itemIds: itemList.flatMap(({ itemId }) => itemId ?? []), recommendationId };
  },
  rank: () => Promise.reject(new Error("ranks nothing")),
});

/** Returns the answer of the endpoint for a user. */
export async function newsletterFor(services: PlacementServices, user_id: string) {
  const body = { placement: "newsletter", user_id };
  const call = { requestId: "r", caller: UNLIMITED, headers: {}, deadline: deadlineIn(20_000), body, text: "" };
  const { body: text } = await recommendForPlacement(services, call);
  return JSON.parse(String(text));
}

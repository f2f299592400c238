import type { Degradation } from "../../core/http/degradation.ts";
import type { JsonCall, Reply } from "../../core/http/event.ts";
import { answer, logFailure } from "../service/reply.ts";
import type { RecommendationServices } from "../service/services.ts";
import { askCampaign, CampaignFailure, popularItemsInstead } from "./ask-campaign.ts";
import { type ItemRecord, isActive, itemColumns, itemRecord } from "./item-list.ts";
import type { RankItems } from "./requests.ts";

const RECIPE = "personalized_ranking";

/** The requested ids in the order of the campaign or its fallback. */
interface Order {
  itemIds: readonly string[];
  recommendationId: string | null;
  degraded: Degradation[];
}

/**
 * POST /rank-items-to-user: returns every requested item exactly once, ranked for the user. Unknown and inactive items
 * come last, in the order of the request.
 */
export async function rankItems(services: RecommendationServices, call: JsonCall<RankItems>): Promise<Reply> {
  const { item_ids } = call.body;
  const [order, { records, unread, failure }] = await Promise.all([
    orderOf(services, call),
    services.records.read("item", item_ids, call.deadline),
  ]);
  const columns = itemColumns(services.settings);
  const isUsable = (id: string) => unread.has(id) || isActive(records.get(id));
  const ranked: ItemRecord[] = complete(order.itemIds, item_ids)
    .filter(isUsable)
    .map((id) => (unread.has(id) ? { ITEM_ID: id } : itemRecord(columns, id, records.get(id))));
  const last = item_ids.filter((id) => !isUsable(id)).map((id) => itemRecord(columns, id, undefined));

  const degraded = [...order.degraded];
  const target = "response.items";
  if (failure) {
    logFailure(services, call, "item records could not be read", failure.cause);
    const effect = `${unread.size} items have ITEM_ID alone`;
    degraded.push({ stage: "item_records", target, reason: failure.reason, effect });
  }
  if (last.length > 0) {
    degraded.push({
      stage: "item_records",
      target,
      reason: `${last.length} items are unknown or not active`,
      effect: "they come last, without their fields",
    });
  }
  return answer(services, {
    request: call.body,
    response: { items: [...ranked, ...last], recommendation_id: order.recommendationId },
    degraded,
  });
}

async function orderOf(services: RecommendationServices, call: JsonCall<RankItems>): Promise<Order> {
  const { user_id, item_ids } = call.body;
  const ask = ({ campaignArn }: { campaignArn: string }) =>
    services.campaigns.rank({ campaignArn, userId: user_id, itemIds: item_ids }, call.deadline);
  try {
    return { ...(await askCampaign(services, { recipe: RECIPE, ask }, call.deadline)), degraded: [] };
  } catch (error) {
    if (!(error instanceof CampaignFailure)) throw error;
    if (error.cause !== undefined) logFailure(services, call, error.message, error.cause);
    const itemIds = await popularItemsInstead(services, error, call.deadline);
    const effect = "items are ordered by popularity, the others as given";
    const degraded: Degradation[] = [{ stage: "campaign", target: RECIPE, reason: error.message, effect }];
    return { itemIds, recommendationId: null, degraded };
  }
}

/** Returns each given id once: first the ids in `order`, then the remaining ones as given. */
function complete(order: readonly string[], given: readonly string[]): string[] {
  const wanted = new Set(given);
  const ordered = new Set(order.filter((id) => wanted.has(id)));
  return [...ordered, ...given.filter((id) => !ordered.has(id))];
}

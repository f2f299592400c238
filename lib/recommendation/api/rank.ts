import type { Degradation } from "../../platform/http/degradation.ts";
import { ApiError } from "../../platform/http/error.ts";
import type { JsonCall, Reply } from "../../platform/http/event.ts";
import type { Profile } from "../records/profile.ts";
import { logAnswer } from "../request-log/line.ts";
import { answer, logFailure } from "../service/reply.ts";
import type { RecommendationServices } from "../service/services.ts";
import { askCampaign, CampaignFailure, popularItemsInstead } from "./ask-campaign.ts";
import { chooseFilter, type FilterChoice, ownFilter } from "./filter-choice.ts";
import { type ItemRecord, isActive, itemColumns, itemRecord } from "./item-list.ts";
import type { RankItems } from "./requests.ts";

const RECIPE = "personalized_ranking";

/** The requested ids in the order of the campaign or its fallback. */
interface Order {
  itemIds: readonly string[];
  /** Whether an item is in the answer. Undefined if all are. */
  passes?: (id: string, record: Profile | undefined) => boolean;
  /** Whether `passes` reads the record: an item whose record could not be read is then neither in nor out. */
  readsRecords?: true;
  recommendationId: string | null;
  /** Whether the campaign ranked. */
  isByCampaign?: true;
  degraded: Degradation[];
}

/**
 * POST /rank-items-to-user: returns every requested item that passes the filter exactly once, ranked for the user. Unknown and
 * inactive items come last, in the order of the request. Throws what {@link chooseFilter} does.
 */
export async function rankItems(services: RecommendationServices, call: JsonCall<RankItems>): Promise<Reply> {
  const since = services.now();
  const { filter_name, filter_value_dict } = call.body;
  const named = { filter_name: filter_name ?? "", filter_value_dict: filter_value_dict ?? {} };
  const filter = chooseFilter(services.settings, named);
  const given = call.body.item_ids;
  const [order, { records, unread, failure }] = await Promise.all([
    orderOf(services, call, filter),
    services.records.read("item", given, call.deadline),
  ]);
  const { passes } = order;
  if (order.readsRecords && failure) {
    throw new ApiError("upstream_unavailable", `The filter cannot be applied: ${failure.reason}.`, {
      cause: failure.cause,
    });
  }
  const item_ids = passes ? given.filter((id) => passes(id, records.get(id))) : given;
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
  const items = [...ranked, ...last];
  const engine = order.isByCampaign ? "personalize" : "list";
  await logAnswer(services, call, {
    ...{ endpoint: "rank-items-to-user", placement: null, recommendationId: order.recommendationId, degraded, since },
    ...{ userId: call.body.user_id, isPersonal: call.body.personalization !== "none" },
    items: items.map(({ ITEM_ID: id = "" }) => ({ id, engine })),
    fallback: order.degraded.length > 0 ? { step: 1, list: "popular", items: items.length } : null,
  });
  return answer(services, {
    request: call.body,
    response: { items, recommendation_id: order.recommendationId },
    degraded,
  });
}

async function orderOf(
  services: RecommendationServices,
  call: JsonCall<RankItems>,
  filter: FilterChoice | undefined,
): Promise<Order> {
  const { user_id: userId, item_ids, context, personalization } = call.body;
  const popular = async (failure: CampaignFailure, visitor: { userId?: string }) => {
    const itemIds = await popularItemsInstead(services, failure, call.deadline);
    const own = filter && (await ownFilter(services, filter, visitor, call.deadline));
    const passes = own && ((id: string, record: Profile | undefined) => record !== undefined && own.passes(id, record));
    return {
      order: { itemIds, recommendationId: null, ...(passes && { passes, readsRecords: true as const }) },
      shortcoming: own?.shortcoming,
    };
  };
  if (personalization === "none") {
    const { order } = await popular(new CampaignFailure("none", "the ranking uses no profile"), {});
    return { ...order, degraded: [] };
  }
  const more = { ...(filter && { filterValues: filter.formatted }), ...(context && { context }) };
  const ask = (arns: { campaignArn: string; filterArn?: string }) =>
    services.campaigns.rank({ ...arns, ...more, userId, itemIds: item_ids }, call.deadline);
  const question = { recipe: RECIPE, filter, hasContext: context != null, ask } as const;
  try {
    const ranked = await askCampaign(services, question, call.deadline);
    const passed = new Set(ranked.itemIds);
    return { ...ranked, isByCampaign: true, degraded: [], ...(filter && { passes: (id) => passed.has(id) }) };
  } catch (error) {
    if (!(error instanceof CampaignFailure)) throw error;
    if (error.cause !== undefined) logFailure(services, call, error.message, error.cause);
    const { order, shortcoming } = await popular(error, { userId });
    const effects = ["items are ordered by popularity, the others as given", shortcoming].filter(Boolean);
    const degraded: Degradation[] = [
      { stage: "campaign", target: RECIPE, reason: error.message, effect: effects.join("; ") },
    ];
    return { ...order, degraded };
  }
}

/** Returns each given id once: first the ids in `order`, then the remaining ones as given. */
function complete(order: readonly string[], given: readonly string[]): string[] {
  const wanted = new Set(given);
  const ordered = new Set(order.filter((id) => wanted.has(id)));
  return [...ordered, ...given.filter((id) => !ordered.has(id))];
}

import { MAX_RESULTS } from "../../personalize/limits.ts";
import type { Degradation } from "../../platform/http/degradation.ts";
import type { JsonCall, Reply } from "../../platform/http/event.ts";
import { answerList, unreadRecords } from "../lists/answer.ts";
import type { Origin } from "../lists/candidates/candidates.ts";
import { chooseFilter } from "../lists/candidates/filter-choice.ts";
import { listRequest } from "../lists/candidates/request.ts";
import type { RecommendationServices } from "../service/services.ts";
import type { RankItems } from "./requests.ts";
import { PLAIN, unnamedList } from "./unnamed.ts";

/**
 * POST /rank-items-to-user: returns every requested item that passes the filter exactly once, ranked for the user. Unknown and
 * inactive items come last, in the order of the request. Throws what {@link chooseFilter} does.
 */
export async function rankItems(services: RecommendationServices, call: JsonCall<RankItems>): Promise<Reply> {
  const since = services.now();
  const { user_id, item_ids, context, personalization, filter_name, filter_value_dict } = call.body;
  const isPersonal = personalization !== "none";
  const filter = chooseFilter(services.settings, {
    filter_name: filter_name ?? "",
    filter_value_dict: filter_value_dict ?? {},
  });
  const given = { list: "items", item_ids } as const;
  // Starts beside the call to the campaign, because all of these items are needed.
  const items = services.records.read("item", item_ids, call.deadline);
  const read: typeof services.records.read = (dataset, ...query) =>
    dataset === "item" ? items : services.records.read(dataset, ...query);
  const request = listRequest(
    {
      ...{ services: { ...services, records: { ...services.records, read } }, call, filter, isCallersFilter: true },
      settings: {
        ...{ ...PLAIN, recipe: "personalized_ranking", limit: item_ids.length },
        fallback: filter ? [] : [given],
      },
      ...{ candidates: MAX_RESULTS, seeds: [], excluded: new Set(), only: new Set(item_ids) },
      userId: isPersonal ? user_id : undefined,
      metadata: context ?? undefined,
    },
    [],
  );
  // The user's own items are ranked, too.
  const suggested = async () => ({ ...(await request.suggested()), known: new Set<string>() });
  const { list, degraded, instead, byCampaign } = await unnamedList(
    { ...request, suggested },
    {
      settings: { recipe: undefined, engine: "built_in", fallback: [{ list: "popular" }, given] },
      subject: "ranking",
      effectOf: (engine) =>
        `items are ordered ${engine === "built_in" ? "by the built-in engine, the others " : ""}by popularity, the others as given`,
      isPersonal,
    },
  );
  const isLast = (id: string) => list.retired.has(id) || (list.unknown.has(id) && (byCampaign || !filter));
  const last = item_ids
    .filter(isLast)
    .map((id) => ({ id, record: {}, promotion: undefined, isMoved: false, origin: "items" as const }));
  const originOf = (origin: Origin) => (byCampaign ? "campaign" : origin === "built_in" ? origin : "popular");
  const ranked = {
    ...list,
    items: [...list.items, ...last].map((item) => ({ ...item, origin: originOf(item.origin) }) as const),
  };
  const unusable: Degradation = {
    ...{ stage: "item_records", target: "response.items" },
    reason: `${last.length} items are unknown or not active`,
    effect: "they come last, without their fields",
  };
  return answerList(services, call, {
    list: ranked,
    degraded: [
      ...degraded,
      ...unreadRecords(ranked, "0 items have ITEM_ID alone"),
      ...(last.length > 0 ? [unusable] : []),
    ],
    line: {
      ...{ endpoint: "rank-items-to-user", placement: null, userId: request.userId, isPersonal, since },
      fallback: instead ? { step: 1, list: instead, items: ranked.items.length } : null,
    },
  });
}

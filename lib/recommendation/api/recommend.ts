import { MAX_RESULTS } from "../../personalize/limits.ts";
import type { CampaignAnswer } from "../../personalize/runtime/campaigns.ts";
import { failureKind, reasonOf } from "../../platform/aws/errors.ts";
import type { Engine, RecipeKind } from "../../platform/contract/recommendation.ts";
import type { Degradation } from "../../platform/http/degradation.ts";
import { ApiError } from "../../platform/http/error.ts";
import type { JsonCall, Reply } from "../../platform/http/event.ts";
import { listOf } from "../built-in/suggest.ts";
import type { Profile } from "../records/profile.ts";
import { type LoggedEndpoint, logAnswer } from "../request-log/line.ts";
import { answer, logFailure } from "../service/reply.ts";
import type { RecommendationServices } from "../service/services.ts";
import { askCampaign, CampaignFailure, popularItemsInstead } from "./ask-campaign.ts";
import { ownKind, suggestedItems } from "./built-in.ts";
import { chooseFilter, type FilterChoice, ownFilter, requireUser } from "./filter-choice.ts";
import { type ItemList, itemColumns, selectItems } from "./item-list.ts";
import type { RecommendToItem, RecommendToUser } from "./requests.ts";

/** Extra candidates to request, so that a few inactive items do not cost a second call. */
const SPARE = 10;

/** A request to either of the two endpoints. */
interface Wanted {
  recipe: RecipeKind;
  userId?: string;
  itemId?: string;
  limit: number;
  excluded: ReadonlySet<string>;
  filter: FilterChoice | undefined;
  context: Readonly<Record<string, string>> | undefined;
  /** Whether the list may use what is known about the user. */
  isPersonal: boolean;
  call: Pick<JsonCall<unknown>, "deadline" | "requestId">;
}

interface Found extends ItemList {
  recommendationId: string | null;
  degraded: Degradation[];
  /** Returns what recommended an item. */
  engineOf: (id: string) => Engine;
  /** What answers in place of the campaign; undefined if the campaign does, or the engine that is to answer. */
  instead?: "built_in" | "popular";
}

/** POST /recommend-items-to-user */
export async function recommendToUser(
  services: RecommendationServices,
  call: JsonCall<RecommendToUser>,
): Promise<Reply> {
  const since = services.now();
  const common = wantedOf(services, call);
  const user = common.isPersonal ? { userId: call.body.user_id } : {};
  const wanted: Wanted = { ...common, recipe: "user_personalization", ...user };
  const found = await find(services, wanted, async () => undefined);
  return reply(services, call, { ...found, endpoint: "recommend-items-to-user", wanted, since });
}

/**
 * POST /recommend-items-to-item. Throws `item_not_found` if the item store does not have the item. It may be inactive.
 */
export async function recommendToItem(
  services: RecommendationServices,
  call: JsonCall<RecommendToItem>,
): Promise<Reply> {
  const since = services.now();
  const { item_id } = call.body;
  const common = wantedOf(services, call);
  const userId = (common.isPersonal ? call.body.user_id : null) ?? undefined;
  if (common.isPersonal) requireUser(common.filter, userId);
  const wanted: Wanted & { excluded: Set<string> } = {
    ...common,
    recipe: "similar_items",
    itemId: item_id,
    ...(userId !== undefined && { userId }),
  };
  wanted.excluded.add(item_id);
  const known = services.records.read("item", [item_id], call.deadline).then(({ records, unread, failure }) => {
    const item = records.get(item_id);
    if (!item && !unread.has(item_id)) {
      throw new ApiError("item_not_found", `There is no item ${JSON.stringify(item_id)}.`, {
        issues: [{ path: "item_id", message: "is not the id of an item" }],
      });
    }
    return { item, failure };
  });
  const [found, { failure }] = await Promise.all([find(services, wanted, async () => (await known).item), known]);
  found.failure ??= failure;
  return reply(services, call, { ...found, endpoint: "recommend-items-to-item", wanted, since });
}

function wantedOf(services: RecommendationServices, call: JsonCall<RecommendToUser | RecommendToItem>) {
  const { limit, exclude_item_ids, context, personalization } = call.body;
  const filter = chooseFilter(services.settings, call.body);
  const isPersonal = personalization !== "none";
  return { limit, excluded: new Set(exclude_item_ids), filter, context: context ?? undefined, isPersonal, call };
}

/**
 * Returns the campaign's items, or those of the built-in engine if it is to answer. If no campaign can answer, those of the
 * built-in engine, and then popular items: they alone if there is neither a user nor an item to recommend for.
 */
async function find(
  services: RecommendationServices,
  wanted: Wanted,
  item: () => Promise<Profile | undefined>,
): Promise<Found> {
  const forNobody = wanted.userId === undefined && wanted.itemId === undefined;
  if (forNobody || services.settings.built_in.some((kind) => kind === wanted.recipe)) {
    return fromOthers(services, wanted, undefined, await item());
  }
  try {
    return await fromCampaign(services, wanted);
  } catch (error) {
    if (!(error instanceof CampaignFailure)) throw error;
    if (error.cause !== undefined) logFailure(services, wanted.call, error.message, error.cause);
    return fromOthers(services, wanted, error, await item());
  }
}

/**
 * Returns the campaign's first items that are known, active and not excluded. If its answer has too few of them, asks
 * once more, for as many items as a campaign can return, and uses that answer instead.
 */
async function fromCampaign(services: RecommendationServices, wanted: Wanted): Promise<Found> {
  const { limit, excluded, call } = wanted;
  const asked = Math.min(MAX_RESULTS, limit + excluded.size + SPARE);
  const [first, near] = await Promise.all([ask(services, wanted, asked), nearRare(services, wanted)]);
  const found = await choose(services, wanted, first, near);
  const mayHaveMore = first.itemIds.length >= asked && asked < MAX_RESULTS;
  if (found.items.length >= limit || !mayHaveMore) return found;
  try {
    return await choose(services, wanted, await ask(services, wanted, MAX_RESULTS), near);
  } catch (error) {
    if (!(error instanceof CampaignFailure)) throw error;
    logFailure(services, call, "the list could not be refilled", error.cause);
    found.degraded.push({
      stage: "campaign",
      target: wanted.recipe,
      reason: error.message,
      effect: `the list was not refilled: ${found.items.length} of ${limit} items`,
    });
    return found;
  }
}

/**
 * Returns items of the same kind as a rare item, which come before those of a campaign that would answer with popular ones.
 * None for a request with a filter, which only the campaign applies in full.
 */
async function nearRare(
  services: RecommendationServices,
  { itemId, filter, call }: Wanted,
): Promise<readonly string[]> {
  if (itemId === undefined || filter || !services.settings.rare_items_by_text) return [];
  return ownKind(services, itemId, call.deadline).catch((error: unknown) => {
    logFailure(services, call, "the built-in engine could not be read", error);
    return [];
  });
}

function ask(services: RecommendationServices, wanted: Wanted, numResults: number): Promise<CampaignAnswer> {
  const { recipe, userId, itemId, filter, context, call } = wanted;
  return askCampaign(
    services,
    {
      recipe,
      filter,
      hasContext: context !== undefined,
      ask: (arns) =>
        services.campaigns.recommend(
          {
            ...arns,
            numResults,
            ...(userId !== undefined && { userId }),
            ...(itemId !== undefined && { itemId }),
            ...(filter && { filterValues: filter.formatted }),
            ...(context && { context }),
          },
          call.deadline,
        ),
    },
    call.deadline,
  );
}

async function choose(
  services: RecommendationServices,
  { limit, excluded, call }: Wanted,
  { itemIds, recommendationId }: CampaignAnswer,
  near: readonly string[],
): Promise<Found> {
  const candidates = [...new Set([...near, ...itemIds])].filter((id) => !excluded.has(id));
  const columns = itemColumns(services.settings);
  const list = await selectItems(services.records, candidates, { limit, columns }, call.deadline);
  const engineOf = (id: string) => (itemIds.includes(id) ? "personalize" : "built_in");
  return { ...list, recommendationId, degraded: shortList(list, limit), engineOf };
}

/** Says that a list is short because items were recommended that the service does not know. */
function shortList({ items, unknown }: ItemList, limit: number): Degradation[] {
  if (items.length >= limit || unknown === 0) return [];
  return [
    {
      stage: "item_records",
      target: "response.items",
      reason: `${unknown} recommended items are unknown: events name them, but they were not uploaded, or are deleted`,
      effect: `the list has ${items.length} of ${limit} items`,
    },
  ];
}

/**
 * Returns items of the built-in engine, then popular ones. `failure` says why no campaign answers; undefined if the engine is
 * to answer. Throws what {@link popularItemsInstead} does if there are neither.
 */
async function fromOthers(
  services: RecommendationServices,
  { recipe, userId, itemId, limit, excluded, filter, isPersonal, call }: Wanted,
  failure: CampaignFailure | undefined,
  item: Profile | undefined,
): Promise<Found> {
  const occasion = itemId === undefined ? { userId, itemIds: [] } : { pageItemIds: [itemId] };
  let failed = failure;
  const { itemIds: suggested, known } = await suggestedItems(services, occasion, call.deadline).catch(
    (error: unknown) => {
      const cause = { cause: error };
      const unread = new CampaignFailure(
        failureKind(error),
        reasonOf("the table of the built-in engine", error),
        cause,
      );
      logFailure(services, call, unread.message, error);
      failed ??= unread;
      return { itemIds: [], known: new Set<string>() };
    },
  );
  const missing =
    userId === undefined && itemId === undefined ? "the list uses no profile" : "the built-in engine is not trained";
  const untrained = new CampaignFailure("none", missing);
  const popular = await popularItemsInstead(services, failed ?? untrained, call.deadline).catch((error: unknown) => {
    if (suggested.length === 0) throw error;
    return [];
  });
  const own =
    filter && (await ownFilter(services, filter, { ...(userId !== undefined && { userId }), item }, call.deadline));
  const list = await selectItems(
    services.records,
    [...listOf(suggested, popular, known)].filter((id) => !excluded.has(id)),
    { limit, columns: itemColumns(services.settings), ...(own && { passes: own.passes }) },
    call.deadline,
  );
  if (own && list.unread > 0) {
    const reasons = [list.failure?.reason, failed?.message].filter((reason) => reason !== undefined);
    throw new ApiError("upstream_unavailable", `The filter cannot be applied: ${reasons.join(", and ")}.`, {
      cause: [list.failure?.cause, failed],
    });
  }
  const which = suggested.length > 0 ? "items of the built-in engine" : "popular items";
  const shortcoming = isPersonal ? own?.shortcoming : undefined;
  const effects = [...(failed ? [`${which} in place of recommendations`] : []), shortcoming].filter(Boolean);
  const reason = failed?.message ?? "the built-in engine does not store past events by type";
  const degraded: Degradation[] =
    effects.length > 0 ? [{ stage: "campaign", target: recipe, reason, effect: effects.join("; ") }] : [];
  const builtIn = new Set(suggested);
  return {
    ...list,
    recommendationId: null,
    degraded: [...degraded, ...shortList(list, limit)],
    engineOf: (id) => (builtIn.has(id) ? "built_in" : "list"),
    ...(failed && { instead: builtIn.size > 0 ? "built_in" : "popular" }),
  };
}

type Told = Found & { endpoint: LoggedEndpoint; wanted: Wanted; since: number };

async function reply(services: RecommendationServices, call: JsonCall<object>, found: Told): Promise<Reply> {
  const { items, unread, failure, recommendationId, instead } = found;
  if (failure) logFailure(services, call, "item records could not be read", failure.cause);
  const withRecords: Degradation[] = failure
    ? [
        {
          stage: "item_records",
          target: "response.items",
          reason: failure.reason,
          effect: unread > 0 ? `${unread} items have ITEM_ID alone` : "whether item_id is an item was not checked",
        },
      ]
    : [];
  const degraded = [...found.degraded, ...withRecords];
  await logAnswer(services, call, {
    ...{ endpoint: found.endpoint, placement: null, recommendationId, degraded, since: found.since },
    ...{ userId: found.wanted.userId, isPersonal: found.wanted.isPersonal },
    items: items.flatMap(({ ITEM_ID: id = "" }) => ({ id, engine: found.engineOf(id) })),
    fallback: instead ? { step: 1, list: instead, items: items.length } : null,
  });
  return answer(services, { request: call.body, response: { items, recommendation_id: recommendationId }, degraded });
}

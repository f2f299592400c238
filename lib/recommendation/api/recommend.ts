import type { RecommendingRecipe } from "../../platform/contract/recommendation.ts";
import { ApiError } from "../../platform/http/error.ts";
import type { JsonCall, Reply } from "../../platform/http/event.ts";
import { answerList, unknownItems, unreadRecords } from "../lists/answer.ts";
import { ownKind } from "../lists/candidates/built-in.ts";
import { chooseFilter, requireUser } from "../lists/candidates/filter-choice.ts";
import { type ListRequest, listRequest } from "../lists/candidates/request.ts";
import type { List } from "../lists/make-list.ts";
import type { LoggedEndpoint } from "../request-log/line.ts";
import { logFailure } from "../service/reply.ts";
import type { RecommendationServices } from "../service/services.ts";
import type { RecommendToItem, RecommendToUser } from "./requests.ts";
import { type Instead, PLAIN, unnamedList } from "./unnamed.ts";

/** Extra candidates to request, so that a few inactive items do not cost a second call. */
const SPARE = 10;

/** The list that is made if no campaign can answer. */
const INSTEAD: Omit<Instead, "isPersonal"> = {
  settings: { engine: "built_in", fallback: [{ list: "popular" }] },
  subject: "list",
  effectOf: (engine) =>
    `${engine === "built_in" ? "items of the built-in engine" : "popular items"} in place of recommendations`,
};

/** POST /recommend-items-to-user */
export async function recommendToUser(
  services: RecommendationServices,
  call: JsonCall<RecommendToUser>,
): Promise<Reply> {
  const since = services.now();
  const request = requestOf(services, call, "user_personalization", []);
  return recommend(services, call, { endpoint: "recommend-items-to-user", since, request });
}

/**
 * POST /recommend-items-to-item. Throws `item_not_found` if the item store does not have the item. It may be inactive.
 */
export async function recommendToItem(
  services: RecommendationServices,
  call: JsonCall<RecommendToItem>,
): Promise<Reply> {
  const since = services.now();
  const { item_id, personalization } = call.body;
  const request = requestOf(services, call, "similar_items", [item_id]);
  if (personalization !== "none") requireUser(request.filter, request.userId);
  // Only the campaign applies a filter in full.
  if (!request.filter && services.settings.rare_items_by_text) {
    request.first = () =>
      ownKind(services.builtIn, item_id, call.deadline).catch((error: unknown) => {
        logFailure(services, call, "the built-in engine could not be read", error);
        return [];
      });
  }
  const known = request.seedRecords().then(({ records, unread, failure }) => {
    if (records.has(item_id) || unread.has(item_id)) return failure;
    throw new ApiError("item_not_found", `There is no item ${JSON.stringify(item_id)}.`, {
      issues: [{ path: "item_id", message: "is not the id of an item" }],
    });
  });
  return recommend(services, call, { endpoint: "recommend-items-to-item", since, request, known });
}

function requestOf(
  services: RecommendationServices,
  call: JsonCall<RecommendToUser | RecommendToItem>,
  recipe: RecommendingRecipe,
  seeds: readonly string[],
): ListRequest {
  const { limit, exclude_item_ids, context, personalization, user_id } = call.body;
  const excluded = new Set([...(exclude_item_ids ?? []), ...seeds]);
  const own = {
    ...{ services, call, seeds, excluded, filter: chooseFilter(services.settings, call.body), isCallersFilter: true },
    settings: { ...PLAIN, recipe, limit },
    candidates: limit + excluded.size + SPARE,
    userId: (personalization === "none" ? null : user_id) ?? undefined,
    metadata: context ?? undefined,
  };
  return listRequest(own, []);
}

interface Recommendation {
  endpoint: LoggedEndpoint;
  /** Time at which the request arrived, in epoch milliseconds. */
  since: number;
  request: ListRequest;
  /** Resolves to the reason why the page's item could not be read. Rejects if there is no such item. */
  known?: Promise<List["failure"]>;
}

async function recommend(
  services: RecommendationServices,
  call: JsonCall<RecommendToUser | RecommendToItem>,
  { endpoint, since, request, known }: Recommendation,
): Promise<Reply> {
  const { personalization, limit } = call.body;
  const isPersonal = personalization !== "none";
  const made = unnamedList(request, { ...INSTEAD, isPersonal, known });
  const [{ list, degraded, instead }, failure] = await Promise.all([made, known]);
  list.failure ??= failure;
  return answerList(services, call, {
    list,
    degraded: [
      ...degraded,
      ...unknownItems(list, limit),
      ...unreadRecords(list, "whether item_id is an item was not checked"),
    ],
    line: {
      ...{ endpoint, placement: null, userId: request.userId, isPersonal, since },
      fallback: instead ? { step: 1, list: instead, items: list.items.length } : null,
    },
  });
}

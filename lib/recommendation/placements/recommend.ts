import { requireListed } from "../../platform/http/access.ts";
import type { Degradation } from "../../platform/http/degradation.ts";
import { ApiError } from "../../platform/http/error.ts";
import type { JsonCall, Reply } from "../../platform/http/event.ts";
import type { Placement } from "../../settings/placements.ts";
import type { RecommendForPlacement } from "../api/requests.ts";
import { answerList, unknownItems, unreadRecords } from "../lists/answer.ts";
import type { Arranged } from "../lists/arrange.ts";
import { readsEvents } from "../lists/candidates/filter-choice.ts";
import type { ListRequest } from "../lists/candidates/request.ts";
import { failed, STAGES } from "../lists/candidates/stages.ts";
import { explanations } from "../lists/explanations.ts";
import { type List, makeList } from "../lists/make-list.ts";
import { openVisit, type PlacementServices } from "./visit.ts";

/**
 * POST /recommend-for-placement. Throws what {@link openVisit} does, and the reason if everything that could fill the
 * list failed.
 */
export async function recommendForPlacement(
  services: PlacementServices,
  call: JsonCall<RecommendForPlacement>,
): Promise<Reply> {
  const since = services.now();
  const { body } = call;
  requireListed(call.caller, "placement", body.placement);
  const { placement, request, version, variant, degraded } = await openVisit(services, call);
  const list = await makeList(request);
  if (list.items.length === 0) {
    throwIfFailed(request, list);
    await throwIfUntrained(request);
  }
  const { experiment } = placement;
  const part = experiment && variant ? { experiment: experiment.name, variant } : {};
  const explain = async () => {
    const own = new Set([...request.seeds, ...(body.context?.session_item_ids ?? [])]);
    return explanations(request, (id) => call.caller.user_history === true || own.has(id), list.items);
  };
  return answerList(services, call, {
    list,
    degraded: [
      ...degraded,
      ...request.failures.map(({ degradation }) => degradation),
      ...shortcomings(placement, request, list),
    ],
    fields: placement.fields,
    more: { placement: { version, ...part }, ...(body.explain && { explanations: await explain() }) },
    line: {
      endpoint: "recommend-for-placement",
      placement: { name: placement.name, version, ...part },
      ...{ userId: body.user_id, sessionId: body.session_id, isPersonal: body.personalization !== "none", since },
      fallback: lastFallback(placement, list.items),
    },
  });
}

/** Returns the last list of the fallback chain that contributed items; null if all come from the placement's engine. */
function lastFallback({ engine, fallback }: Placement, items: readonly Arranged[]) {
  const steps = items
    .filter(({ origin }) => origin !== "campaign" && origin !== engine)
    .map(({ origin }) => fallback.findIndex((one) => one.list === origin));
  const last = Math.max(...steps, -1);
  const found = fallback[last];
  return found ? { step: last + 1, list: found.list, items: steps.length } : null;
}

/**
 * Returns the entries of `degraded` for records that could not be read, and for filters that were applied only in part.
 */
function shortcomings({ diversity, limit }: Placement, request: ListRequest, list: List): Degradation[] {
  const { filter, userId } = request;
  const found = unreadRecords(list, "items that could not be read are left out");
  if (!list.failure) found.push(...unknownItems(list, limit));
  else if ((diversity.category || diversity.marginal_relevance) && list.items.some(({ record }) => !record)) {
    found.push(failed(STAGES.diversity, "response.items", list.failure.reason));
  }
  const instead = list.items.find(({ origin }) => origin !== "campaign");
  if (instead && filter && readsEvents(filter) && userId !== undefined) {
    const effect = "the filter's conditions on past events did not apply to items of the fallback chain";
    found.push(failed(STAGES.fallback, instead.origin, "past events are not stored for requests", effect));
  }
  return found;
}

/** Throws the failure if the list is empty because something failed, not because no item is eligible. */
function throwIfFailed({ failures }: ListRequest, { failure }: List): void {
  const reasons = failures.map(({ degradation }) => degradation.reason);
  if (failure) reasons.push(failure.reason);
  if (reasons.length === 0) return;
  const why = [...new Set(reasons)].join("; ");
  const untrained = failures.filter(({ stage, campaign }) => stage === STAGES.source && campaign?.kind === "none");
  if (reasons.every((reason) => untrained.some(({ degradation }) => degradation.reason === reason))) {
    const message = `The list is empty: ${why}, and the fallback chain has no items before the first training.`;
    throw new ApiError("not_trained", message, { cause: untrained[0]?.campaign });
  }
  throw new ApiError("upstream_unavailable", `The list is empty: ${why}.`, { cause: why });
}

/** Throws `not_trained` if the list is empty because the built-in engine has not been trained yet. */
async function throwIfUntrained({ settings, services, call }: ListRequest): Promise<void> {
  if (settings.engine !== "built_in" || (await services.popularItems(call.deadline).catch(() => [])) !== undefined)
    return;
  const message = "The list is empty: the built-in engine is not trained. Upload data, then run `relevance train`.";
  throw new ApiError("not_trained", message, { cause: "the last ETL has left no lists" });
}

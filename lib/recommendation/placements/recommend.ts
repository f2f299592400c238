import type { Degradation } from "../../platform/http/degradation.ts";
import { ApiError } from "../../platform/http/error.ts";
import type { JsonCall, Reply } from "../../platform/http/event.ts";
import type { Placement } from "../../settings/placements.ts";
import type { CampaignFailure } from "../api/ask-campaign.ts";
import { type FilterChoice, readsEvents } from "../api/filter-choice.ts";
import { itemColumns, itemRecord } from "../api/item-list.ts";
import type { RecommendForPlacement } from "../api/requests.ts";
import { logAnswer } from "../request-log/line.ts";
import { answer, logFailure } from "../service/reply.ts";
import type { RecommendationServices } from "../service/services.ts";
import { requirePlacement } from "./access.ts";
import { type Arranged, arrange, valuesOf } from "./arrange.ts";
import { Candidates, type Checks, type Source } from "./candidates.ts";
import { engineOf, explanations } from "./explanations.ts";
import { bothFilters, type LocalFilter, localFilter } from "./local-filter.ts";
import { campaignSource, fallbackSource } from "./sources.ts";
import { failed, STAGES } from "./stages.ts";
import { filterChoice, openVisit, type Visit } from "./visit.ts";

/**
 * POST /recommend-for-placement. Runs the stages of the placement: source, filter, promotions, diversity, fallback,
 * records. Throws what {@link openVisit} does, and the reason if everything that could fill the list failed.
 */
export async function recommendForPlacement(
  services: RecommendationServices,
  call: JsonCall<RecommendForPlacement>,
): Promise<Reply> {
  const since = services.now();
  requirePlacement(call.caller, call.body.placement);
  const visit = await openVisit(services, call);
  const { placement, degraded, version, variant } = visit;
  const out = placement.exclude.out_of_stock;
  const checks: Checks = {
    records: services.records,
    deadline: call.deadline,
    excluded: new Set(visit.excluded),
    unknown: new Set(),
    ...(out && {
      inStock: (record) => [...valuesOf(record, out.column)].every((value) => !out.values.includes(value)),
    }),
  };
  const made = await makeList(visit, checks);
  if (checks.failure) logFailure(services, call, "item records could not be read", checks.failure.cause);
  if (made.list.length === 0) {
    throwIfFailed(visit, checks, made.failures);
    await throwIfUntrained(visit);
  }
  degraded.push(...shortcomings(visit, checks, made.list));

  const columns = placement.fields ? [...new Set(["ITEM_ID", ...placement.fields])] : itemColumns(services.settings);
  const items = made.list.map(({ id, record }) => (record ? itemRecord(columns, id, record) : { ITEM_ID: id }));
  const { experiment } = placement;
  const part = experiment && variant ? { experiment: experiment.name, variant } : {};
  await logAnswer(services, call, {
    endpoint: "recommend-for-placement",
    placement: { name: placement.name, version, ...part },
    ...{ userId: call.body.user_id, sessionId: call.body.session_id, since, degraded },
    isPersonal: call.body.personalization !== "none",
    recommendationId: made.recommendationId,
    items: made.list.map(({ id, origin }) => ({ id, engine: engineOf(origin) })),
    fallback: lastFallback(placement, made.list),
  });
  return answer(services, {
    request: call.body,
    response: {
      items,
      recommendation_id: made.recommendationId,
      placement: { version, ...part },
      ...(call.body.explain && { explanations: await explanations(visit, made.list) }),
    },
    degraded,
  });
}

/** Returns the last list of the fallback chain that items come from; null if all come from the placement's engine. */
function lastFallback({ engine, fallback }: Placement, list: readonly Arranged[]) {
  const steps = list
    .filter(({ origin }) => origin !== "campaign" && origin !== engine)
    .map(({ origin }) => fallback.findIndex((one) => one.list === origin));
  const last = Math.max(...steps, -1);
  const found = fallback[last];
  return found ? { step: last + 1, list: found.list, items: steps.length } : null;
}

interface Made {
  list: Arranged[];
  recommendationId: string | null;
  failures: CampaignFailure[];
}

async function makeList(visit: Visit, checks: Checks): Promise<Made> {
  const { placement, filter } = visit;
  const failures: CampaignFailure[] = [];
  let recommendationId: string | null = null;
  const own = filter && localFilter(visit, filter);
  const builtIn = placement.engine === "built_in" ? fallbackSource(visit, { list: "built_in" }, own) : undefined;
  const recommended =
    builtIn ??
    campaignSource(visit, {
      filter,
      stage: STAGES.source,
      target: placement.recipe ?? "",
      onAnswer: (id) => {
        recommendationId = id;
      },
      onFailure: (failure) => failures.push(failure),
    });
  const promotions = placement.promotions.map((promotion) => {
    const sources = promotedSources(visit, promotion, own);
    return { ...promotion, candidates: new Candidates(sources, checks) };
  });
  const chain = placement.fallback.map((list) => fallbackSource(visit, list, own));
  const list = await arrange({
    limit: placement.limit,
    diversity: placement.diversity,
    promotions,
    ordinary: () => new Candidates([...(recommended ? [recommended] : []), ...chain], checks),
  });
  return { list, recommendationId, failures };
}

/** Returns where promoted items come from. Without the promotion's filter, from nowhere: the answer says so. */
function promotedSources(
  visit: Visit,
  { name, filter }: Placement["promotions"][number],
  own: LocalFilter | undefined,
): Source[] {
  let promoted: FilterChoice | undefined;
  try {
    promoted = filterChoice(visit.services, filter);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    visit.degraded.push({ ...failed(STAGES.promotions, name, error.message), effect: "it has no items in the list" });
  }
  if (!promoted) return [];
  const also = { ...(own && { also: own }) };
  const both = bothFilters(localFilter(visit, promoted), own);
  const source =
    visit.placement.engine === "built_in"
      ? fallbackSource(visit, { list: "built_in" }, both)
      : campaignSource(visit, { filter: promoted, stage: STAGES.promotions, target: name, ...also });
  return [...(source ? [source] : []), ...visit.placement.fallback.map((list) => fallbackSource(visit, list, both))];
}

/** Returns what the list lacks for want of records, and how its filter falls short beyond the campaign's items. */
function shortcomings(visit: Visit, { failure, unknown }: Checks, list: readonly Arranged[]): Degradation[] {
  const { placement, filter } = visit;
  const found: Degradation[] = [];
  const reason = failure?.reason;
  if (reason !== undefined) {
    const unread = list.filter(({ record }) => record === undefined).length;
    const effect = unread > 0 ? `${unread} items have ITEM_ID alone` : "items that could not be read are left out";
    found.push({ ...failed(STAGES.records, "response.items", reason), effect });
    const { category, marginal_relevance } = placement.diversity;
    if (unread > 0 && (category || marginal_relevance)) {
      found.push(failed(STAGES.diversity, "response.items", reason));
    }
  } else if (list.length < placement.limit && unknown.size > 0) {
    const why = `${unknown.size} recommended items are unknown: events name them, but they were not uploaded, or are deleted`;
    const effect = `the list has ${list.length} of ${placement.limit} items`;
    found.push({ ...failed(STAGES.records, "response.items", why), effect });
  }
  const instead = list.find(({ origin }) => origin !== "campaign");
  if (instead && filter && readsEvents(filter) && visit.userId !== undefined) {
    const effect = "the filter's conditions on past events did not apply to items of the fallback chain";
    found.push({ ...failed(STAGES.fallback, instead.origin, "past events are not stored for requests"), effect });
  }
  return found;
}

/** Throws why the list is empty if that is because something failed, not because no item is eligible. */
function throwIfFailed({ degraded }: Visit, { failure }: Checks, failures: readonly CampaignFailure[]): void {
  const reasons = degraded.filter(({ stage }) => stage !== STAGES.placement.name).map(({ reason }) => reason);
  if (failure) reasons.push(failure.reason);
  if (reasons.length === 0) return;
  const why = [...new Set(reasons)].join("; ");
  const untrained = failures.filter(({ kind }) => kind === "none").map(({ message }) => message);
  if (reasons.every((reason) => untrained.includes(reason))) {
    const message = `The list is empty: ${why}, and the fallback chain has no items before the first training.`;
    throw new ApiError("not_trained", message, { cause: failures[0] });
  }
  throw new ApiError("upstream_unavailable", `The list is empty: ${why}.`, { cause: why });
}

/** Throws `not_trained` if the list is empty because the built-in engine has not been trained yet. */
async function throwIfUntrained({ placement, services, call }: Visit): Promise<void> {
  if (placement.engine !== "built_in" || (await services.popularItems(call.deadline).catch(() => [])) !== undefined)
    return;
  const message = "The list is empty: the built-in engine is not trained. Upload data, then run `relevance train`.";
  throw new ApiError("not_trained", message, { cause: "the last ETL has left no lists" });
}

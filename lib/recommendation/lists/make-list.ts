import { ApiError } from "../../platform/http/error.ts";
import type { Placement } from "../../settings/placements.ts";
import { type Arranged, arrange } from "./arrange.ts";
import { Candidates, type Checks, type Source } from "./candidates/candidates.ts";
import { type FilterChoice, filterChoice } from "./candidates/filter-choice.ts";
import { bothFilters, type LocalFilter, localFilter } from "./candidates/local-filter.ts";
import { type ListRequest, report } from "./candidates/request.ts";
import { STAGES } from "./candidates/stages.ts";
import { campaignSource } from "./sources/campaign.ts";
import { storedSource } from "./sources/stored.ts";

/** A list, and the results of checking its items. Failed parts are in the request. */
export interface List extends Pick<Checks, "failure" | "unknown" | "retired"> {
  /** Best first. */
  items: Arranged[];
  /** Null if no campaign answered. */
  recommendationId: string | null;
}

/**
 * Makes a list: source, filter, promotions, diversity, fallback, records. If a stage fails, only its own effect is
 * missing, and the failure is added to `failures` of the request. Throws only if the caller's own filter is refused.
 */
export async function makeList(request: ListRequest): Promise<List> {
  const { settings, filter, bound, services, call } = request;
  const { only, inStock } = request;
  const checks: Checks = {
    ...{ records: services.records, deadline: call.deadline, limit: settings.limit, only, inStock },
    ...{ excluded: new Set(request.excluded), unknown: new Set(), retired: new Set() },
  };
  let recommendationId: string | null = null;
  const also = bound && localFilter(request, bound);
  const own = filter ? bothFilters(localFilter(request, filter), also) : also;
  const fallback = (also: LocalFilter | undefined) =>
    settings.fallback.map((list) => storedSource(request, list, also));
  const source = sourceOf(
    request,
    { filter: filter ?? bound, stage: STAGES.source, target: settings.recipe ?? "", also },
    own,
    (id) => {
      recommendationId = id;
    },
  );
  const promotions = settings.promotions.map((promotion) => {
    const promoted = promotionFilter(request, promotion);
    if (!promoted) return { ...promotion, candidates: new Candidates([], checks) };
    const both = bothFilters(localFilter(request, promoted), own);
    const options = { filter: promoted, stage: STAGES.promotions, target: promotion.name, also: own };
    return {
      ...promotion,
      candidates: new Candidates([...sourceOf(request, options, both), ...fallback(both)], checks),
    };
  });
  const items = await arrange({
    ...{ limit: settings.limit, diversity: settings.diversity, promotions },
    ordinary: () => new Candidates([...source, ...fallback(own)], checks),
  });
  return { items, recommendationId, ...checks };
}

/**
 * Returns the source of recommendations: the campaign, or the built-in engine with `local` as filter; none without a
 * recipe.
 */
function sourceOf(
  request: ListRequest,
  options: Parameters<typeof campaignSource>[1],
  local: LocalFilter | undefined,
  onAnswer?: (recommendationId: string | null) => void,
): Source[] {
  if (request.settings.engine === "built_in") return [storedSource(request, { list: "built_in" }, local)];
  const source = campaignSource(request, options, onAnswer);
  return source ? [source] : [];
}

/** Returns the filter of a promotion. If it is missing, nothing is promoted, and `degraded` says so. */
function promotionFilter(
  request: ListRequest,
  { name, filter }: Placement["promotions"][number],
): FilterChoice | undefined {
  try {
    return filterChoice(request.services.settings, filter);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const effect = "it has no items in the list";
    report(request, { stage: STAGES.promotions, target: name, reason: error.message, effect }, "", undefined);
    return undefined;
  }
}

import { reasonOf } from "../../platform/aws/errors.ts";
import { variantFor } from "../../platform/experiments/assignment.ts";
import type { Degradation } from "../../platform/http/degradation.ts";
import { ApiError } from "../../platform/http/error.ts";
import type { JsonCall } from "../../platform/http/event.ts";
import { invalidRequest } from "../../platform/http/validate.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import { once } from "../../platform/resilience/once.ts";
import type { Placement } from "../../settings/placements.ts";
import { type Occasion, suggestedItems } from "../api/built-in.ts";
import { chooseFilter, type FilterChoice, requireUser } from "../api/filter-choice.ts";
import type { RecommendForPlacement } from "../api/requests.ts";
import type { ReadRecords } from "../clients/record-store.ts";
import { logFailure } from "../service/reply.ts";
import type { RecommendationServices } from "../service/services.ts";
import { failed, STAGES } from "./stages.ts";

/** Items of a basket whose similar items are requested, the first ones. Each is one call to the campaign. */
const MAX_SEEDS = 5;

/** What one request is about: its placement with the visitor's variant, and what is known of visitor and page. */
export interface Visit {
  services: RecommendationServices;
  call: JsonCall<RecommendForPlacement>;
  placement: Placement;
  version: number;
  variant: string | undefined;
  /** Undefined if the list must not depend on the visitor. */
  userId: string | undefined;
  /** The items that similar items are recommended to. */
  seeds: readonly string[];
  seedRecords: () => Promise<ReadRecords>;
  /** What the built-in engine recommends: for the items of the page, or for the visitor and this session's items. */
  suggested: () => ReturnType<typeof suggestedItems>;
  filter: FilterChoice | undefined;
  /** Ids that the list must not have. */
  excluded: ReadonlySet<string>;
  /** What failed so far. */
  degraded: Degradation[];
}

/** Returns the placements in use. Throws `upstream_unavailable` if they could never be read. */
export const readPlacements = (services: Pick<RecommendationServices, "placements">, deadline: Deadline) =>
  services.placements(deadline).catch((cause: unknown) => {
    const message = `The placements cannot be read: ${reasonOf("the document", cause)}.`;
    throw new ApiError("upstream_unavailable", message, { cause });
  });

/**
 * Chooses the placement and the variant. Throws `placement_not_found`, `upstream_unavailable` if placements could never be
 * read, `filter_not_found`, and `invalid_request` if the placement needs a visitor and the request names none.
 */
export async function openVisit(
  services: RecommendationServices,
  call: JsonCall<RecommendForPlacement>,
): Promise<Visit> {
  const { body, deadline } = call;
  const { version, content, failure } = await readPlacements(services, deadline);
  const found = content.find(({ name }) => name === body.placement);
  if (!found) {
    const message = `There is no placement ${JSON.stringify(body.placement)}.`;
    throw new ApiError("placement_not_found", message, {
      issues: [{ path: "placement", message: "is not the name of a placement" }],
    });
  }
  const userId = body.personalization === "none" ? undefined : (body.user_id ?? body.session_id ?? undefined);
  const variant = found.experiment && userId !== undefined ? variantFor(found.experiment, userId) : undefined;
  const placement: Placement = Object.assign({}, found, variant?.settings);
  const filter = filterChoice(services, placement.filter);
  if (body.personalization !== "none") requireVisitor(placement, filter, userId);

  const { item_id, basket_item_ids, exclude_item_ids, session_item_ids } = body.context ?? {};
  const seeds = item_id == null ? [...new Set(basket_item_ids)].slice(0, MAX_SEEDS) : [item_id];
  const basket = placement.exclude.basket === false ? [] : (basket_item_ids ?? []);
  const sessionItems = body.personalization === "none" ? [] : (session_item_ids ?? []);
  const isForItems = placement.recipe !== "user_personalization" && seeds.length > 0;
  const occasion: Occasion = isForItems ? { pageItemIds: seeds } : { userId, itemIds: sessionItems };
  const degraded = failure ? [failed(STAGES.placement, found.name, failure.reason)] : [];
  if (failure) logFailure(services, call, "changed placements could not be read", failure.cause);
  return {
    ...{ services, call, placement, version, userId, seeds, filter, degraded },
    variant: variant?.name,
    suggested: once(() => suggestedItems(services, occasion, deadline)),
    seedRecords: once(() => services.records.read("item", seeds, deadline)),
    excluded: new Set([...(exclude_item_ids ?? []), ...basket, ...(item_id == null ? [] : [item_id])]),
  };
}

/** Returns a filter of a placement as a request would name it. Throws `filter_not_found`. */
export function filterChoice(
  { settings }: Pick<RecommendationServices, "settings">,
  filter: Placement["filter"],
): FilterChoice | undefined {
  return filter && chooseFilter(settings, { filter_name: filter.name, filter_value_dict: filter.values });
}

function requireVisitor(placement: Placement, filter: FilterChoice | undefined, userId: string | undefined): void {
  if (userId === undefined && placement.recipe === "user_personalization") {
    const message = `is missing: the placement ${placement.name} is for a user; send user_id, session_id, or personalization "none"`;
    throw invalidRequest([{ path: "user_id", message }]);
  }
  requireUser(filter, userId);
}

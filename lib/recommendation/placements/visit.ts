import { reasonOf } from "../../platform/aws/errors.ts";
import { variantFor } from "../../platform/experiments/assignment.ts";
import type { Degradation } from "../../platform/http/degradation.ts";
import { ApiError } from "../../platform/http/error.ts";
import type { JsonCall } from "../../platform/http/event.ts";
import { invalidRequest } from "../../platform/http/validate.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import type { Placement } from "../../settings/placements.ts";
import type { RecommendForPlacement } from "../api/requests.ts";
import { type FilterChoice, filterChoice, requireUser } from "../lists/candidates/filter-choice.ts";
import { valuesOf } from "../lists/candidates/item-record.ts";
import { type ListRequest, type ListServices, listRequest } from "../lists/candidates/request.ts";
import { failed, STAGES } from "../lists/candidates/stages.ts";
import { logFailure } from "../service/reply.ts";
import type { RecommendationServices } from "../service/services.ts";

/** The most basket items whose similar items are requested. Each is one call to the campaign. */
const MAX_SEEDS = 5;

/** Candidates requested per item of the list, so that exclusions and diversity rarely need a second call. */
const CANDIDATES_PER_ITEM = 5;

/** Services that make and answer the list of a placement. */
export type PlacementServices = ListServices & Pick<RecommendationServices, "placements" | "requestLog" | "now">;

/** A request for a placement. */
export interface Visit {
  /** With the settings of the visitor's variant. */
  placement: Placement;
  version: number;
  variant: string | undefined;
  request: ListRequest;
  /** Contains an entry if an earlier version of the placements is in use. */
  degraded: readonly Degradation[];
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
export async function openVisit(services: PlacementServices, call: JsonCall<RecommendForPlacement>): Promise<Visit> {
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
  const filter = filterChoice(services.settings, placement.filter);
  if (body.personalization !== "none") requireVisitor(placement, filter, userId);

  const { item_id, basket_item_ids, exclude_item_ids, session_item_ids, category, metadata } = body.context ?? {};
  const seeds = item_id == null ? [...new Set(basket_item_ids)].slice(0, MAX_SEEDS) : [item_id];
  const basket = placement.exclude.basket === false ? [] : (basket_item_ids ?? []);
  const sessionItems = body.personalization === "none" ? [] : (session_item_ids ?? []);
  const excluded = new Set([...(exclude_item_ids ?? []), ...basket, ...(item_id == null ? [] : [item_id])]);
  const out = placement.exclude.out_of_stock;
  if (failure) logFailure(services, call, "changed placements could not be read", failure.cause);
  const own = {
    ...{ services, call, settings: placement, userId, seeds, filter, excluded, category, isCallersFilter: false },
    candidates: placement.limit * CANDIDATES_PER_ITEM + excluded.size,
    metadata: metadata ?? undefined,
    ...(out && {
      inStock: (record) => [...valuesOf(record, out.column)].every((value) => !out.values.includes(value)),
    }),
  } satisfies Parameters<typeof listRequest>[0];
  return {
    ...{ placement, version, variant: variant?.name, request: listRequest(own, sessionItems) },
    degraded: failure ? [failed(STAGES.placement, found.name, failure.reason)] : [],
  };
}

function requireVisitor(placement: Placement, filter: FilterChoice | undefined, userId: string | undefined): void {
  if (userId === undefined && placement.recipe === "user_personalization") {
    const message = `is missing: the placement ${placement.name} is for a user; send user_id, session_id, or personalization "none"`;
    throw invalidRequest([{ path: "user_id", message }]);
  }
  requireUser(filter, userId);
}

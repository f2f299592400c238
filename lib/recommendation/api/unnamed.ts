import { failureKind, reasonOf } from "../../platform/aws/errors.ts";
import type { Degradation } from "../../platform/http/degradation.ts";
import { ApiError } from "../../platform/http/error.ts";
import { CampaignFailure, popularItemsInstead } from "../lists/candidates/ask-campaign.ts";
import { readsEvents } from "../lists/candidates/filter-choice.ts";
import type { ListRequest, ListSettings } from "../lists/candidates/request.ts";
import { failed, STAGES } from "../lists/candidates/stages.ts";
import { type List, makeList } from "../lists/make-list.ts";
import { NOT_REFILLED } from "../lists/sources/campaign.ts";
import { logFailure } from "../service/reply.ts";

/** The settings of a placement without a name, beside its recipe and limit. */
export const PLAIN: Omit<ListSettings, "recipe" | "limit"> = {
  engine: "personalize",
  promotions: [],
  diversity: {},
  fallback: [],
};

/** The engine that makes the list if no campaign answers. */
type InsteadEngine = "built_in" | "popular";

export interface Instead {
  /** The settings of the list that answers if no campaign can. */
  settings: Partial<ListSettings>;
  /** Noun for messages. */
  subject: "list" | "ranking";
  effectOf: (engine: InsteadEngine) => string;
  /** Whether the list may use data about the user. */
  isPersonal: boolean;
  /** Must resolve before another list is made. If it rejects, no list is made. */
  known?: Promise<unknown> | undefined;
}

interface UnnamedList {
  list: List;
  degraded: Degradation[];
  byCampaign: boolean;
  /** The engine that answers in place of the campaign; undefined if the campaign answers. */
  instead?: InsteadEngine;
}

/**
 * Makes the list of an endpoint that names no placement. The campaign makes it, unless the built-in engine is
 * configured, there is neither a user nor an item to recommend for, or no campaign can answer. In these cases other
 * settings make the list. Unlike the fallback chain of a placement, they never fill slots that a campaign leaves empty.
 * Throws what {@link popularItemsInstead} does.
 */
export async function unnamedList(request: ListRequest, instead: Instead): Promise<UnnamedList> {
  const { settings, services } = request;
  if (isForNobody(request) || services.settings.built_in.some((kind) => kind === settings.recipe)) {
    return otherList(request, instead, undefined);
  }
  const list = await makeList(request);
  const [failure] = request.failures;
  if (!failure) return { list, degraded: [], byCampaign: true };
  const { degradation, campaign } = failure;
  if (degradation.effect !== NOT_REFILLED) return otherList(request, instead, campaign);
  const effect = `${NOT_REFILLED}: ${list.items.length} of ${settings.limit} items`;
  return { list, degraded: [{ ...degradation, effect }], byCampaign: true };
}

const isForNobody = ({ userId, seeds }: ListRequest) => userId === undefined && seeds.length === 0;

/**
 * Makes a list without the campaign. `campaign` is the reason why it cannot answer; undefined if it is not configured
 * to.
 */
async function otherList(
  request: ListRequest,
  { settings, subject, effectOf, isPersonal, known }: Instead,
  campaign: CampaignFailure | undefined,
): Promise<UnnamedList> {
  const { call, services, filter } = request;
  await known;
  let failure = campaign;
  const none = { itemIds: [], known: new Set<string>(), run: undefined, because: () => [] };
  const suggested =
    settings.engine !== "built_in"
      ? none
      : await request.suggested().catch((cause: unknown) => {
          const reason = reasonOf("the table of the built-in engine", cause);
          logFailure(services, call, reason, cause);
          failure ??= new CampaignFailure(failureKind(cause), reason, { cause });
          return none;
        });
  const missing = isForNobody(request) ? `the ${subject} uses no profile` : "the built-in engine is not trained";
  const popular = await popularItemsInstead(
    services.popularItems,
    failure ?? new CampaignFailure("none", missing),
    call.deadline,
  ).catch((error: unknown) => {
    if (suggested.itemIds.length === 0) throw error;
    return [];
  });
  const list = await makeList({
    ...request,
    settings: { ...request.settings, ...settings },
    suggested: async () => suggested,
    services: { ...services, popularItems: async () => popular },
    failures: [],
  });
  if (filter && list.failure) {
    const reasons = [list.failure.reason, failure?.message].filter((reason) => reason !== undefined);
    throw new ApiError("upstream_unavailable", `The filter cannot be applied: ${reasons.join(", and ")}.`, {
      cause: [list.failure.cause, failure],
    });
  }
  const engine = suggested.itemIds.length > 0 ? "built_in" : "popular";
  const effects = [
    ...(failure ? [effectOf(engine)] : []),
    ...(isPersonal && filter && readsEvents(filter) ? ["the filter's conditions on past events did not apply"] : []),
  ];
  const reason = failure?.message ?? "the built-in engine does not store past events by type";
  const degraded =
    effects.length > 0 ? [failed(STAGES.source, request.settings.recipe ?? "", reason, effects.join("; "))] : [];
  return { list, degraded, byCampaign: false, ...(failure && { instead: engine }) };
}

import type { RecipeKind } from "../../../platform/contract/recommendation.ts";
import type { Degradation } from "../../../platform/http/degradation.ts";
import type { Call } from "../../../platform/http/event.ts";
import { once } from "../../../platform/resilience/once.ts";
import type { Placement } from "../../../settings/placements.ts";
import type { ReadRecords } from "../../clients/record-store.ts";
import type { Profile } from "../../records/profile.ts";
import { logFailure } from "../../service/reply.ts";
import type { RecommendationServices } from "../../service/services.ts";
import type { CampaignFailure } from "./ask-campaign.ts";
import { type Suggested, suggestedItems } from "./built-in.ts";
import { type FilterChoice, tokenFilter } from "./filter-choice.ts";
import { failed, type Stage } from "./stages.ts";

/** The settings and clients that lists are made with. */
export type ListServices = Pick<
  RecommendationServices,
  "settings" | "api" | "pointers" | "campaigns" | "records" | "builtIn" | "popularItems" | "newestItems"
>;

/** The settings of a placement that decide which items are in its list. */
export interface ListSettings extends Pick<Placement, "engine" | "limit" | "promotions" | "diversity" | "fallback"> {
  recipe?: RecipeKind | undefined;
}

/** A failed part of a list, with its entry of `degraded`. */
export interface ListFailure {
  stage: Stage;
  degradation: Degradation;
  /** The campaign's failure; undefined for other stages. */
  campaign: CampaignFailure | undefined;
}

/** A list to make: the placement's settings, and the data about visitor and page. */
export interface ListRequest {
  services: ListServices;
  call: Pick<Call, "requestId" | "deadline" | "caller">;
  settings: ListSettings;
  /** Number of items in the first request to the campaign. */
  candidates: number;
  /** Undefined if the list must not depend on the visitor. */
  userId: string | undefined;
  /** The input items of similar-item recommendations. */
  seeds: readonly string[];
  seedRecords: () => Promise<ReadRecords>;
  /**
   * Returns the built-in engine's recommendations for the items of the page, or for the visitor and this session's
   * items.
   */
  suggested: () => Promise<Suggested>;
  /** Returns items that come before the campaign's. They are not used if the campaign fails. */
  first?: () => Promise<readonly string[]>;
  filter: FilterChoice | undefined;
  /** The filter of the caller's token, which every item passes besides. */
  bound: FilterChoice | undefined;
  /** Whether the caller chose the filter. Then a filter that does not apply is an error of the request. */
  isCallersFilter: boolean;
  /** Ids excluded from the list. */
  excluded: ReadonlySet<string>;
  /** The only ids that the list may have; undefined for all. */
  only?: ReadonlySet<string>;
  /** Whether an item can be bought. Undefined if the placement does not say. */
  inStock?: (record: Profile) => boolean;
  /** The category that the page is about. */
  category?: string | null | undefined;
  /** The context for Personalize. */
  metadata: Readonly<Record<string, string>> | undefined;
  failures: ListFailure[];
}

type Own = Omit<ListRequest, "seedRecords" | "suggested" | "failures" | "bound">;

/** Returns a request whose stores are read once, when they are first needed. `sessionItems` are the visitor's, latest first. */
export function listRequest(own: Own, sessionItems: readonly string[]): ListRequest {
  const { services, settings, seeds, userId } = own;
  const { deadline } = own.call;
  const isForItems = settings.recipe !== "user_personalization" && seeds.length > 0;
  const occasion = isForItems ? { pageItemIds: seeds } : { userId, itemIds: sessionItems };
  return {
    ...own,
    bound: tokenFilter(services.settings, own.call.caller),
    suggested: once(() => suggestedItems(services.builtIn, occasion, deadline)),
    seedRecords: once(() => services.records.read("item", seeds, deadline)),
    failures: [],
  };
}

interface Reported {
  stage: Stage;
  /** The failed part, for `degraded`. */
  target: string;
  reason: string;
  /** The effect on the list. Default: the stage's own effect. */
  effect?: string | undefined;
  campaign?: CampaignFailure;
}

/** Logs the cause of a failure, and records the first failure of each stage and target for the answer. */
export function report({ services, call, failures }: ListRequest, failure: Reported, message: string, cause: unknown) {
  const { stage, target, reason, effect, campaign } = failure;
  if (cause !== undefined) logFailure(services, call, message, cause);
  if (failures.some((one) => one.stage === stage && one.degradation.target === target)) return;
  failures.push({ stage, campaign, degradation: failed(stage, target, reason, effect) });
}

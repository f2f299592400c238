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
import type { FilterChoice } from "./filter-choice.ts";
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

/** A part of a list that failed, with its entry of `degraded`. */
export interface ListFailure {
  stage: Stage;
  degradation: Degradation;
  /** Why the campaign could not answer; undefined for other stages. */
  campaign: CampaignFailure | undefined;
}

/** A list to make: the settings of its placement, and what is known of visitor and page. */
export interface ListRequest {
  services: ListServices;
  call: Pick<Call, "requestId" | "deadline">;
  settings: ListSettings;
  /** Items that the campaign is asked for at first. */
  candidates: number;
  /** Undefined if the list must not depend on the visitor. */
  userId: string | undefined;
  /** The items that similar items are recommended to. */
  seeds: readonly string[];
  seedRecords: () => Promise<ReadRecords>;
  /** What the built-in engine recommends: for the items of the page, or for the visitor and this session's items. */
  suggested: () => Promise<Suggested>;
  /** Returns items to list before those of the campaign, unless it fails. */
  first?: () => Promise<readonly string[]>;
  filter: FilterChoice | undefined;
  /** Whether the caller chose the filter. Then a filter that does not apply is an error of the request. */
  isCallersFilter: boolean;
  /** Ids that the list must not have. */
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

type Own = Omit<ListRequest, "seedRecords" | "suggested" | "failures">;

/** Returns a request whose stores are read once, when they are first needed. `sessionItems` are the visitor's, latest first. */
export function listRequest(own: Own, sessionItems: readonly string[]): ListRequest {
  const { services, settings, seeds, userId } = own;
  const { deadline } = own.call;
  const isForItems = settings.recipe !== "user_personalization" && seeds.length > 0;
  const occasion = isForItems ? { pageItemIds: seeds } : { userId, itemIds: sessionItems };
  return {
    ...own,
    suggested: once(() => suggestedItems(services.builtIn, occasion, deadline)),
    seedRecords: once(() => services.records.read("item", seeds, deadline)),
    failures: [],
  };
}

interface Reported {
  stage: Stage;
  /** What failed, in `degraded`. */
  target: string;
  reason: string;
  /** What the list lacks. Default: what it lacks without the stage. */
  effect?: string | undefined;
  campaign?: CampaignFailure;
}

/** Logs the cause of a failure, and notes the first failure of each stage and target for the answer. */
export function report({ services, call, failures }: ListRequest, failure: Reported, message: string, cause: unknown) {
  const { stage, target, reason, effect, campaign } = failure;
  if (cause !== undefined) logFailure(services, call, message, cause);
  if (failures.some((one) => one.stage === stage && one.degradation.target === target)) return;
  failures.push({ stage, campaign, degradation: failed(stage, target, reason, effect) });
}

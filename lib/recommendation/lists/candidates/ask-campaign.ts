import { type FailureKind, failureKind, reasonOf } from "../../../platform/aws/errors.ts";
import type { RecipeKind } from "../../../platform/contract/recommendation.ts";
import { ApiError } from "../../../platform/http/error.ts";
import type { Deadline } from "../../../platform/resilience/deadline.ts";
import type { EtlListReader } from "../../clients/popular-items.ts";
import type { RecommendationServices } from "../../service/services.ts";
import { checkPlaceholders, type FilterChoice, filterNotFound } from "./filter-choice.ts";

/** Thrown if no campaign can answer. The API then returns popular items. The message may be shown to clients. */
export class CampaignFailure extends Error {
  override name = "CampaignFailure";
  /** `none`: no campaign is active, before the first training or because the recipe is not configured. */
  readonly kind: FailureKind | "none";

  constructor(kind: FailureKind | "none", reason: string, options?: ErrorOptions) {
    super(reason, options);
    this.kind = kind;
  }
}

/** One call to a Personalize campaign, made for one recommendation request. */
interface CampaignQuestion<T> {
  recipe: RecipeKind;
  filter?: FilterChoice | undefined;
  /** Whether the request has a context, which Personalize may reject. */
  hasContext?: boolean;
  ask: (arns: { campaignArn: string; filterArn?: string }) => Promise<T>;
}

interface Arns {
  campaignArn: string | undefined;
  filterArn: string | undefined;
}

/**
 * Sends a query to the active campaign of a recipe, with the filter that the name currently points to. If Personalize
 * does not know the campaign or filter, or rejects the call, reads the pointers again. If a pointer has changed,
 * retries with the new value. Throws CampaignFailure, `filter_not_found`, or `invalid_request` if Personalize rejects a
 * part of the request.
 */
export async function askCampaign<T>(
  services: Pick<RecommendationServices, "settings" | "pointers">,
  question: CampaignQuestion<T>,
  deadline: Deadline,
): Promise<T> {
  const { recipe, filter } = question;
  const campaign = services.settings.campaigns[recipe];
  const names = [campaign ?? "", filter?.filter.parameter ?? ""].filter((name) => name !== "");
  const arnsFrom = (values: readonly (string | undefined)[]): Arns => {
    const byName = new Map(names.map((name, index) => [name, values[index]]));
    const arn = (name = "") => (byName.get(name)?.startsWith("arn:") ? byName.get(name) : undefined);
    return { campaignArn: arn(campaign), filterArn: arn(filter?.filter.parameter) };
  };
  const current = async (read: "read" | "reread"): Promise<Arns> => {
    try {
      return arnsFrom(await services.pointers[read](names, deadline));
    } catch (error) {
      if (filter) checkPlaceholders(filter);
      throw new CampaignFailure(failureKind(error), reasonOf("the parameter store", error), { cause: error });
    }
  };
  const asked = await current("read");
  try {
    try {
      return await askWith(services, question, asked);
    } catch (error) {
      // An outdated filter is not found once it is deleted, and rejected while it is being deleted.
      if (isForClient(error) || !["absent", "refused"].includes(failureKind(error))) throw error;
      const now = await current("reread");
      if (now.campaignArn === asked.campaignArn && now.filterArn === asked.filterArn) throw error;
      return await askWith(services, question, now);
    }
  } catch (error) {
    throw isForClient(error) ? error : failureOf(error, question);
  }
}

const isForClient = (error: unknown) => error instanceof ApiError || error instanceof CampaignFailure;

function askWith<T>(
  { settings }: Pick<RecommendationServices, "settings">,
  { recipe, filter, ask }: CampaignQuestion<T>,
  { campaignArn, filterArn }: Arns,
): Promise<T> {
  if (filter) {
    if (filterArn === undefined) throw filterNotFound(filter.filter.name, settings.filters);
    // During the rollout of a changed expression, the function may still have the other one, so Personalize checks the
    // values.
    if (filterArn.endsWith(`/${filter.filter.resource}`)) checkPlaceholders(filter);
  }
  if (campaignArn === undefined) {
    const configured = settings.campaigns[recipe] !== undefined;
    throw new CampaignFailure("none", configured ? `no ${recipe} campaign is active` : `${recipe} is not configured`);
  }
  return ask({ campaignArn, ...(filterArn !== undefined && { filterArn }) });
}

/** Blames the request for a rejection by Personalize if it has a filter or a context; otherwise blames the campaign. */
function failureOf(error: unknown, { recipe, filter, hasContext }: CampaignQuestion<unknown>): Error {
  const kind = failureKind(error);
  if (kind !== "refused" || !(filter || hasContext)) {
    // Personalize does not reliably say whether the campaign or the filter is missing.
    const what = `the ${recipe} campaign${filter && kind === "absent" ? ` or the filter ${filter.filter.name}` : ""}`;
    return new CampaignFailure(kind, reasonOf(what, error), { cause: error });
  }
  const said = (error as Error).message.replaceAll(/arn:[\w:/$*-]+/g, "…");
  const path = filter ? "filter_value_dict" : "context";
  return new ApiError("invalid_request", `Personalize refused the request: ${said}`, {
    issues: [{ path, message: "was refused by Personalize" }],
    cause: error,
  });
}

/**
 * Returns a campaign error as a failure of the list. If the caller chose the filter, throws when it is missing or
 * Personalize rejects it.
 */
export function campaignFailure(error: unknown, isCallersFilter: boolean): CampaignFailure {
  if (error instanceof CampaignFailure) return error;
  if (isCallersFilter || !(error instanceof ApiError)) throw error;
  return new CampaignFailure("refused", withoutStop(error.message), { cause: error });
}

/** Removes the final full stop, so that a message can be part of another one. */
export const withoutStop = (message: string) => message.replace(/\.$/, "");

/**
 * Returns the popular items of the last ETL. If there are none, throws the error for the client: `not_trained` before
 * the first training and ETL, otherwise the one that matches the campaign's failure.
 */
export async function popularItemsInstead(
  popularItems: EtlListReader,
  failure: CampaignFailure,
  deadline: Deadline,
): Promise<readonly string[]> {
  let popular: readonly string[] | undefined;
  try {
    popular = await popularItems(deadline);
  } catch (error) {
    const both = new CampaignFailure(failureKind(error), reasonOf("the list of popular items", error), {
      cause: error,
    });
    throw nothingAnswers(both, `${failure.message}, and ${both.message}`);
  }
  if (popular) return popular;
  if (failure.kind === "none") {
    throw new ApiError(
      "not_trained",
      `${sentence(failure.message)}, and there are no popular items before the first training: upload data, then run \`relevance train\`.`,
      { cause: failure },
    );
  }
  throw nothingAnswers(failure, `${failure.message}, and there is no list of popular items yet`);
}

function nothingAnswers(failure: CampaignFailure, text: string): ApiError {
  const message = `${sentence(text)}.`;
  const cause = failure;
  if (failure.kind === "throttled")
    return new ApiError("throttled", message, { cause, headers: { "retry-after": "1" } });
  return new ApiError(failure.kind === "timeout" ? "timeout" : "upstream_unavailable", message, { cause });
}

const sentence = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

import type { CampaignClient, RecommendationQuery } from "../../personalize/runtime/campaigns.ts";
import type { Placement } from "../../settings/placements.ts";
import type { FilterChoice } from "../lists/candidates/filter-choice.ts";
import { filterChoice } from "../lists/candidates/filter-choice.ts";
import type { RecommendationSettings } from "../service/settings.ts";

/** A query for the model, sent for each user: the filter and its values. */
export type Question = Pick<RecommendationQuery, "filterArn" | "filterValues">;

/** Returns the placement in all variants of its experiment. */
const variantsOf = (placement: Placement): Placement[] => [
  placement,
  ...(placement.experiment?.variants ?? []).map(({ settings }) => Object.assign({}, placement, settings)),
];

/** Returns the reason why a placement's lists need a page; undefined if they do not. */
export function needsPage(placement: Placement): string | undefined {
  return variantsOf(placement).some(({ recipe }) => recipe === "similar_items")
    ? `The placement ${placement.name} recommends items similar to those of a page, and a batch has no page`
    : undefined;
}

/**
 * Returns the distinct queries that a placement sends to the campaign for users. Throws `filter_not_found` for a filter
 * that is not configured.
 */
export function questionsOf(
  placement: Placement,
  settings: RecommendationSettings,
  filterArn: (choice: FilterChoice) => string,
): Question[] {
  const asking = variantsOf(placement).filter(({ recipe, engine }) => recipe !== undefined && engine === "personalize");
  const filters = asking.flatMap(({ filter, promotions }) => [
    filter,
    ...promotions.map((promotion) => promotion.filter),
  ]);
  const questions = filters.map((filter): Question => {
    const choice = filterChoice(settings, filter);
    return choice ? { filterArn: filterArn(choice), filterValues: choice.formatted } : {};
  });
  return [...new Map(questions.map((question) => [keyOf(question), question])).values()];
}

/** Returns a text that is equal for equal queries. */
export const keyOf = ({ filterArn = "", filterValues = {} }: Question): string =>
  JSON.stringify([filterArn, Object.entries(filterValues).toSorted(([a], [b]) => (a < b ? -1 : 1))]);

/** Returns what a job recommended to a user for a question; throws if the job could not answer. */
export type BatchAnswers = (question: string, userId: string) => readonly string[];

/** Implements the campaigns with the output of batch inference jobs. */
export function answeredCampaigns(answers: () => BatchAnswers): CampaignClient {
  return {
    async recommend(query) {
      const itemIds = answers()(keyOf(query), query.userId ?? "");
      return { itemIds: itemIds.slice(0, query.numResults), recommendationId: null };
    },
    rank: () => Promise.reject(new Error("a batch ranks nothing")),
  };
}

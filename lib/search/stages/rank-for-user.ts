import { readFilterValues } from "../../personalize/filters/values.ts";
import { blend, RankingError, type RankingInput, scoreBelowWindow } from "../../personalize/ranking/blend.ts";
import type { PERSONALIZATIONS } from "../../platform/contract/recommendation.ts";
import { invalidRequest } from "../../platform/http/validate.ts";
import type { StageTools } from "../gateway/tools.ts";
import { itemIdOf } from "../page/answer.ts";
import { ownOrderOf } from "../page/native-page.ts";
import { type Stage, StageError, type StageSelection } from "../page/stage.ts";
import type { StageContext } from "./kinds.ts";

const LOST = "hits are in search order";

const declined = (reason: string): StageSelection => ({
  declined: { stage: "personalization", target: "search_response", reason, effect: LOST },
});

interface Request {
  personalization?: (typeof PERSONALIZATIONS)[number] | null | undefined;
  business_rules: {
    is_personalized_enabled: boolean;
    personalization_weight?: number | null | undefined;
    personalization_context?: Readonly<Record<string, string>> | null | undefined;
    personalization_filter_values?: Readonly<Record<string, string>> | null | undefined;
  };
}

/**
 * Returns the stage that ranks the best hits for a user, or why it is not available; neither if it would change
 * nothing. Throws `invalid_request` if no campaign is configured, if filter values are given without a configured
 * filter, or if they are malformed. `page` is undefined if the cluster will refuse it.
 */
export function personalStage(
  { settings, ranker }: Pick<StageTools, "settings" | "ranker">,
  {
    request: { personalization, business_rules },
    userId,
    native,
    page,
  }: Pick<StageContext<Request>, "request" | "userId" | "native" | "page">,
): StageSelection {
  const configured = settings.personalized_ranking;
  if (!configured) {
    throw invalidRequest([
      {
        path: "business_rules.is_personalized_enabled",
        message: "cannot be true: no campaign is configured (personalized_ranking.campaign_arn in api.yaml)",
      },
    ]);
  }
  const input = inputOf(business_rules, configured);
  if (personalization === "none") return {};
  const weight = business_rules.personalization_weight ?? configured.weight;
  if (weight === 0 || page === undefined || page.size === 0) return {};
  if (userId === null) return declined("the request has no user_id");
  const order = ownOrderOf(native);
  if (order !== undefined) return declined(`the request has its own ${order}`);
  const { window, item_id_field, timeout_ms } = configured;
  const run: Stage["run"] = async (hits, deadline) => {
    if (hits.length === 0) return { order: [], scores: [] };
    const ids = hits.map((hit) => itemIdOf(hit, item_id_field));
    const distinct = [...new Set(ids.filter((id) => id !== undefined))];
    if (distinct.length === 0) throw new StageError(`no hit has an item id in ${item_id_field}`);
    try {
      const loaded = await ranker();
      if (!loaded) throw new Error("no ranker");
      const known = await loaded(userId, distinct, deadline.remaining(), input);
      const rankOf = new Map(known.map((itemId, index) => [itemId, index + 1]));
      const ranking = blend(
        ids.map((id) => (id === undefined ? undefined : rankOf.get(id))),
        weight,
      );
      return { order: ranking.map(({ hit }) => hit), scores: ranking.map(({ score }) => score) };
    } catch (error) {
      throw new StageError(error instanceof RankingError ? error.message : "the personal ranking failed");
    }
  };
  const scoreBelow = (rank: number) => scoreBelowWindow(rank, weight);
  const values = { window, budgetMs: timeout_ms, effect: "reorders", lost: LOST, told: false } as const;
  return { stage: { name: "personalization", ...values, scoreBelow, run } };
}

const FILTER_VALUES = "business_rules.personalization_filter_values";

/** Returns the request's inputs for the campaign, besides user and items. */
function inputOf(
  { personalization_context: context, personalization_filter_values: given }: Request["business_rules"],
  { filter_arn }: { filter_arn?: string | undefined },
): RankingInput {
  if (given && filter_arn === undefined) {
    const message = "has no filter: none is configured (personalized_ranking.filter_arn in api.yaml)";
    throw invalidRequest([{ path: FILTER_VALUES, message }]);
  }
  return {
    ...(context && { context }),
    ...(given && { filterValues: readFilterValues(given, FILTER_VALUES).formatted }),
  };
}

import { MAX_RESULTS } from "../../../personalize/limits.ts";
import type { CampaignAnswer, RecommendationQuery } from "../../../personalize/runtime/campaigns.ts";
import { askCampaign, campaignFailure } from "../candidates/ask-campaign.ts";
import type { Source } from "../candidates/candidates.ts";
import type { FilterChoice } from "../candidates/filter-choice.ts";
import { type LocalFilter, tested } from "../candidates/local-filter.ts";
import { type ListRequest, report } from "../candidates/request.ts";
import type { STAGES } from "../candidates/stages.ts";

interface CampaignOptions {
  filter: FilterChoice | undefined;
  stage: typeof STAGES.source | typeof STAGES.promotions;
  /** Name of the recipe or promotion in messages. */
  target: string;
  /** A filter in addition to the one that the campaign applies. */
  also?: LocalFilter | undefined;
}

/** The effect of a failed second call for more items. */
export const NOT_REFILLED = "the list was not refilled";

/** The user or item that a campaign recommends for. */
type Query = Pick<RecommendationQuery, "userId" | "itemId">;

/**
 * Returns the items that the placement's campaign recommends or ranks; undefined without a recipe, or if the request
 * has neither a user nor an item. Starts the first call at once, so that calls of promotions run concurrently. If a
 * call fails, the source is empty and `degraded` says why. Calls `onAnswer` with the id of each answer.
 */
export function campaignSource(
  request: ListRequest,
  options: CampaignOptions,
  onAnswer?: (recommendationId: string | null) => void,
): Source | undefined {
  const queries = queriesOf(request);
  if (queries.length === 0) return undefined;
  const failedWith = (error: unknown, effect?: string) => {
    const campaign = campaignFailure(error, request.isCallersFilter);
    const { stage, target } = options;
    report(request, { stage, target, reason: campaign.message, effect, campaign }, campaign.message, campaign.cause);
  };
  /** Reports failed calls, and returns the answers of the others. */
  const askAll = async (count: number, effect?: string) => {
    const results = await Promise.allSettled(queries.map((query) => ask(request, options.filter, query, count)));
    return () =>
      results.flatMap((result) => {
        if (result.status === "fulfilled") return [result.value];
        failedWith(result.reason, effect);
        return [];
      });
  };
  const asked = Math.min(MAX_RESULTS, request.candidates);
  const answered = askAll(asked);
  const before = request.first?.();
  let recommended: ReadonlySet<string> = new Set();
  async function* batches() {
    const answers = (await answered)();
    if (answers.length === 0) return;
    onAnswer?.(answers[0]?.recommendationId ?? null);
    const ids = interleaved(answers);
    recommended = new Set(ids);
    yield [...((await before) ?? []), ...ids];
    if (asked === MAX_RESULTS || answers.every(({ itemIds }) => itemIds.length < asked)) return;
    const more = (await askAll(MAX_RESULTS, NOT_REFILLED))();
    if (more[0]) onAnswer?.(more[0].recommendationId);
    recommended = new Set([...ids, ...interleaved(more)]);
    yield [...recommended].slice(ids.length);
  }
  return {
    originOf: (id) => (recommended.has(id) ? "campaign" : "built_in"),
    open: () => tested(request, batches(), options.also, failedWith),
  };
}

function queriesOf({ settings: { recipe }, seeds, userId }: ListRequest): Query[] {
  const user = userId === undefined ? {} : { userId };
  if (recipe === "similar_items") return seeds.map((itemId) => ({ itemId, ...user }));
  return recipe === undefined || userId === undefined ? [] : [user];
}

function ask(
  { services, call, settings, metadata, only }: ListRequest,
  filter: FilterChoice | undefined,
  query: Query,
  numResults: number,
): Promise<CampaignAnswer> {
  const { recipe = "user_personalization" } = settings;
  const more = { ...(filter && { filterValues: filter.formatted }), ...(metadata && { context: metadata }) };
  const question = {
    ...{ recipe, filter, hasContext: metadata !== undefined },
    ask: (arns: { campaignArn: string; filterArn?: string }) =>
      recipe === "personalized_ranking"
        ? services.campaigns.rank(
            { ...arns, ...more, userId: query.userId ?? "", itemIds: [...(only ?? [])] },
            call.deadline,
          )
        : services.campaigns.recommend({ ...arns, ...query, numResults, ...more }, call.deadline),
  };
  return askCampaign(services, question, call.deadline);
}

/** Returns the ids of several answers in turn, each id once. */
function interleaved(answers: readonly CampaignAnswer[]): string[] {
  const longest = Math.max(0, ...answers.map(({ itemIds }) => itemIds.length));
  const ids = Array.from({ length: longest }, (_, rank) => answers.flatMap(({ itemIds }) => itemIds[rank] ?? []));
  return [...new Set(ids.flat())];
}

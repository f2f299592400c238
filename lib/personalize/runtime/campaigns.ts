import { call } from "../../platform/aws/call.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import { lazyClient } from "../../platform/resilience/once.ts";

interface CampaignQuery {
  campaignArn: string;
  filterArn?: string;
  filterValues?: Readonly<Record<string, string>>;
  context?: Readonly<Record<string, string>>;
}

/** Requests items for a user, or items similar to an item. */
export interface RecommendationQuery extends CampaignQuery {
  userId?: string;
  itemId?: string;
  numResults: number;
}

/** Requests a ranking of items for a user. */
export interface RankingQuery extends CampaignQuery {
  userId: string;
  itemIds: readonly string[];
}

/** Item ids in the campaign's order. */
export interface CampaignAnswer {
  itemIds: string[];
  recommendationId: string | null;
}

/** The given items that the filter lets through, in the user's order. */
export interface RankingAnswer extends CampaignAnswer {
  /** The ids that the model knows; it scores no others. */
  knownIds: string[];
}

/** Calls the runtime of Personalize. Rejects with the SDK's errors, or with CallTimeout. */
export interface CampaignClient {
  recommend(query: RecommendationQuery, deadline: Deadline): Promise<CampaignAnswer>;
  rank(query: RankingQuery, deadline: Deadline): Promise<RankingAnswer>;
}

/**
 * Creates a client whose attempts time out after `timeoutMs`. It retries transient failures until the call's deadline.
 * The first call loads the SDK.
 */
export function personalizeCampaigns(timeoutMs: number): CampaignClient {
  const client = lazyClient(
    () => import("@aws-sdk/client-personalize-runtime"),
    (sdk) => new sdk.PersonalizeRuntimeClient({ maxAttempts: 1 }),
  );
  return {
    async recommend(query, deadline) {
      const [{ GetRecommendationsCommand }, runtime] = await client();
      const command = new GetRecommendationsCommand({ ...query, ...copied(query) });
      const { itemList, recommendationId } = await call({ deadline, timeoutMs }, (abortSignal) =>
        runtime.send(command, { abortSignal }),
      );
      return { itemIds: idsOf(itemList), recommendationId: recommendationId ?? null };
    },
    async rank({ itemIds, ...query }, deadline) {
      const [{ GetPersonalizedRankingCommand }, runtime] = await client();
      const command = new GetPersonalizedRankingCommand({ ...query, ...copied(query), inputList: [...itemIds] });
      const { personalizedRanking = [], recommendationId } = await call({ deadline, timeoutMs }, (abortSignal) =>
        runtime.send(command, { abortSignal }),
      );
      return {
        itemIds: idsOf(personalizedRanking),
        knownIds: idsOf(personalizedRanking.filter(({ score }) => score !== undefined)),
        recommendationId: recommendationId ?? null,
      };
    },
  };
}

/** Returns what a query gives Personalize as maps, which the SDK takes as its own. */
const copied = ({ filterValues, context }: CampaignQuery) => ({
  ...(filterValues && { filterValues: { ...filterValues } }),
  ...(context && { context: { ...context } }),
});

function idsOf(items: readonly { itemId?: string | undefined }[] | undefined): string[] {
  return (items ?? []).flatMap(({ itemId }) => itemId ?? []);
}

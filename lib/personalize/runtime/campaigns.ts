import type { PersonalizeRuntimeClient } from "@aws-sdk/client-personalize-runtime";
import { call } from "../../aws/call.ts";
import type { Deadline } from "../../core/resilience/deadline.ts";
import { once } from "../../core/resilience/once.ts";

/** Asks a campaign for items for a user, or for items like an item. */
export interface RecommendationQuery {
  campaignArn: string;
  userId?: string;
  itemId?: string;
  numResults: number;
  filterArn?: string;
  filterValues?: Readonly<Record<string, string>>;
  context?: Readonly<Record<string, string>>;
}

/** Asks a campaign to put items in a user's order. */
export interface RankingQuery {
  campaignArn: string;
  userId: string;
  itemIds: readonly string[];
}

/** Item ids in the campaign's order. */
export interface CampaignAnswer {
  itemIds: string[];
  recommendationId: string | null;
}

/** The given items in the user's order. */
export interface RankingAnswer extends CampaignAnswer {
  /** The ids that the model knows; it scores no others. */
  knownIds: string[];
}

/** The runtime of Personalize. Rejects with the SDK's own errors, or CallTimeout. */
export interface CampaignClient {
  recommend(query: RecommendationQuery, deadline: Deadline): Promise<CampaignAnswer>;
  rank(query: RankingQuery, deadline: Deadline): Promise<RankingAnswer>;
}

/**
 * Creates a client whose attempts take at most `timeoutMs` each. Transient failures are retried within the deadline of
 * the call. The first call loads the SDK.
 */
export function personalizeCampaigns(timeoutMs: number): CampaignClient {
  const sdk = () => import("@aws-sdk/client-personalize-runtime");
  const client = once(
    async (): Promise<PersonalizeRuntimeClient> => new (await sdk()).PersonalizeRuntimeClient({ maxAttempts: 1 }),
  );
  return {
    async recommend(query, deadline) {
      const [{ GetRecommendationsCommand }, runtime] = await Promise.all([sdk(), client()]);
      const command = new GetRecommendationsCommand({
        ...query,
        ...(query.filterValues && { filterValues: { ...query.filterValues } }),
        ...(query.context && { context: { ...query.context } }),
      });
      const { itemList, recommendationId } = await call({ deadline, timeoutMs }, (abortSignal) =>
        runtime.send(command, { abortSignal }),
      );
      return { itemIds: idsOf(itemList), recommendationId: recommendationId ?? null };
    },
    async rank({ campaignArn, userId, itemIds }, deadline) {
      const [{ GetPersonalizedRankingCommand }, runtime] = await Promise.all([sdk(), client()]);
      const command = new GetPersonalizedRankingCommand({ campaignArn, userId, inputList: [...itemIds] });
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

function idsOf(items: readonly { itemId?: string | undefined }[] | undefined): string[] {
  return (items ?? []).flatMap(({ itemId }) => itemId ?? []);
}

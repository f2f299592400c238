import type { PersonalizeRuntimeClient } from "@aws-sdk/client-personalize-runtime";
import { call } from "../../aws/call.ts";
import type { Deadline } from "../../core/resilience/deadline.ts";
import { once } from "../../core/resilience/once.ts";

/** Most items of one answer. Source: GetRecommendations, API reference. */
export const MAX_RESULTS = 500;

/** What a campaign is asked for: items for a user, or items like an item. */
export interface RecommendationQuery {
  campaignArn: string;
  userId?: string;
  itemId?: string;
  numResults: number;
  filterArn?: string;
  filterValues?: Readonly<Record<string, string>>;
  context?: Readonly<Record<string, string>>;
}

/** Items to be put in a user's order. */
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

/** The runtime of Personalize. Rejects with the SDK's own errors, or CallTimeout. */
export interface CampaignClient {
  recommend(query: RecommendationQuery, deadline: Deadline): Promise<CampaignAnswer>;
  rank(query: RankingQuery, deadline: Deadline): Promise<CampaignAnswer>;
}

/** Personalize's runtime as CampaignClient. The SDK is loaded by the first call and never retries by itself. */
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
      const { personalizedRanking, recommendationId } = await call({ deadline, timeoutMs }, (abortSignal) =>
        runtime.send(command, { abortSignal }),
      );
      return { itemIds: idsOf(personalizedRanking), recommendationId: recommendationId ?? null };
    },
  };
}

function idsOf(items: readonly { itemId?: string | undefined }[] | undefined): string[] {
  return (items ?? []).flatMap(({ itemId }) => itemId ?? []);
}

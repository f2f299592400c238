import { reasonOf } from "../../aws/errors.ts";
import { deadlineIn } from "../../core/resilience/deadline.ts";
import { personalizeCampaigns } from "./campaigns.ts";

/** Returns those of the item ids that the model knows, in the user's order, within `timeoutMs`. Throws RankingError. */
export type PersonalRanker = (userId: string, itemIds: readonly string[], timeoutMs: number) => Promise<string[]>;

/** Why a personal ranking failed, in words for a caller of the API. */
export class RankingError extends Error {
  override name = "RankingError";
}

/** Returns the ranker of one campaign. */
export function campaignRanker(campaignArn: string): PersonalRanker {
  // The deadline of each call bounds its attempts.
  const campaigns = personalizeCampaigns(Number.POSITIVE_INFINITY);
  return async (userId, itemIds, timeoutMs) => {
    try {
      return (await campaigns.rank({ campaignArn, userId, itemIds }, deadlineIn(timeoutMs))).knownIds;
    } catch (error) {
      throw new RankingError(reasonOf("the campaign", error), { cause: error });
    }
  };
}

import { reasonOf } from "../../aws/errors.ts";
import { deadlineIn } from "../../core/resilience/deadline.ts";
import { personalizeCampaigns } from "./campaigns.ts";

/** Returns the item ids that the model knows, in the user's order, within `timeoutMs`. Throws RankingError. */
export type PersonalRanker = (userId: string, itemIds: readonly string[], timeoutMs: number) => Promise<string[]>;

/** A personal ranking failed. The message is written for callers of the API. */
export class RankingError extends Error {
  override name = "RankingError";
}

/** Returns the ranker of one campaign. */
export function campaignRanker(campaignArn: string): PersonalRanker {
  // No time limit for an attempt: the deadline of the call is enough.
  const campaigns = personalizeCampaigns(Number.POSITIVE_INFINITY);
  return async (userId, itemIds, timeoutMs) => {
    try {
      return (await campaigns.rank({ campaignArn, userId, itemIds }, deadlineIn(timeoutMs))).knownIds;
    } catch (error) {
      throw new RankingError(reasonOf("the campaign", error), { cause: error });
    }
  };
}

import { reasonOf } from "../../aws/errors.ts";
import { deadlineIn } from "../../core/resilience/deadline.ts";
import { type PersonalRanker, RankingError } from "../ranking/blend.ts";
import { personalizeCampaigns } from "./campaigns.ts";

/** Returns the ranker of one campaign. */
export function campaignRanker(campaignArn: string): PersonalRanker {
  // No time limit for an attempt: the deadline of the call is enough.
  const campaigns = personalizeCampaigns(Number.POSITIVE_INFINITY);
  return async (userId, itemIds, timeoutMs, context) => {
    const query = { campaignArn, userId, itemIds, ...(context && { context }) };
    try {
      return (await campaigns.rank(query, deadlineIn(timeoutMs))).knownIds;
    } catch (error) {
      throw new RankingError(reasonOf("the campaign", error), { cause: error });
    }
  };
}

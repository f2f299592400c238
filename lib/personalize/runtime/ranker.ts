import { reasonOf } from "../../platform/aws/errors.ts";
import { deadlineIn } from "../../platform/resilience/deadline.ts";
import { type PersonalRanker, RankingError } from "../ranking/blend.ts";
import { personalizeCampaigns } from "./campaigns.ts";

/** Returns the ranker of one campaign. Its filter applies to requests that have values for it, be it none. */
export function campaignRanker(arns: { campaignArn: string; filterArn?: string | undefined }): PersonalRanker {
  const { campaignArn, filterArn } = arns;
  // No time limit for an attempt: the deadline of the call is enough.
  const campaigns = personalizeCampaigns(Number.POSITIVE_INFINITY);
  return async (userId, itemIds, timeoutMs, input) => {
    const filter = input?.filterValues && filterArn !== undefined ? { filterArn } : {};
    const query = { campaignArn, ...filter, userId, itemIds, ...input };
    try {
      return (await campaigns.rank(query, deadlineIn(timeoutMs))).knownIds;
    } catch (error) {
      throw new RankingError(reasonOf("the campaign", error), { cause: error });
    }
  };
}

import type { Account } from "../account.ts";
import type { ModelIndex } from "../learn/answer.ts";
import { isChosen } from "../learn/training-set.ts";
import { servedVersion } from "../operations/campaigns.ts";
import { type Recipe, recipeOf } from "../recipes.ts";
import type { Campaign } from "../resources.ts";
import { invalid } from "../service-error.ts";

/** An ACTIVE campaign with its model. */
export interface Serving {
  campaign: Campaign;
  recipe: Recipe;
  groupArn: string;
  index: ModelIndex;
}

/** Returns a campaign with its model. Throws ResourceNotFoundException, or InvalidInputException unless ACTIVE. */
export function serving(account: Account, campaignArn: string): Serving {
  const campaign = account.find("campaign", campaignArn);
  if (campaign.status !== "ACTIVE") throw invalid(`Campaign ${campaignArn} is not ACTIVE, it is ${campaign.status}.`);
  const version = servedVersion(account, campaign.solutionVersionArn);
  const solution = account.find("solution", version.solutionArn);
  const index = account.model(version.arn);
  const recipe = recipeOf(solution.recipeArn);
  if (!index || !recipe) throw new Error(`the model of ${version.arn} is not in the storage directory`);
  return { campaign, recipe, groupArn: solution.groupArn, index };
}

/** Returns the items of a user's events that arrived after training and match its event choice, oldest first. */
export function newerItems(account: Account, { groupArn, index }: Serving, userId: string): string[] {
  const dataset = account.datasetOf(groupArn, "INTERACTIONS");
  if (!dataset) return [];
  const { takenAt, choice } = index.model;
  return account
    .data(dataset.arn)
    .interactions()
    .ofUser(userId)
    .filter((event) => event.receivedAt !== undefined && event.receivedAt >= takenAt && isChosen(choice, event))
    .map(({ itemId }) => itemId)
    .reverse();
}

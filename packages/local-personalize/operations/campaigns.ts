import * as v from "valibot";
import type { Account } from "../account.ts";
import { ARN, NAME, TAGS, text, texts, whole } from "../members.ts";
import type { CampaignSettings, SolutionVersion } from "../resources.ts";
import { inUse, invalid } from "../service-error.ts";
import {
  beginDeletion,
  beginUpdate,
  describing,
  isUpdating,
  listing,
  type Operation,
  onResource,
  operation,
  requireActive,
  summaryOf,
  updateSummary,
} from "./operation.ts";

const MOST_CAMPAIGNS = 5;
const LATEST = "$LATEST";

const Config = v.optional(
  v.strictObject({
    itemExplorationConfig: v.optional(texts(text(256), 1000, 100)),
    enableMetadataWithRecommendations: v.optional(v.boolean()),
    syncWithLatestSolutionVersion: v.optional(v.boolean()),
    rankingInfluence: v.optional(
      v.record(v.picklist(["POPULARITY", "FRESHNESS"]), v.pipe(v.number(), v.minValue(0), v.maxValue(1))),
    ),
  }),
);
const settings = ({ solutionVersionArn, minProvisionedTPS, campaignConfig }: CampaignSettings) => ({
  solutionVersionArn,
  minProvisionedTPS,
  ...(campaignConfig && { campaignConfig }),
});

/** The operations on campaigns. During an update a campaign keeps serving its previous version. */
export const CAMPAIGNS: Readonly<Record<string, Operation>> = {
  CreateCampaign: operation(
    v.strictObject({
      name: NAME,
      solutionVersionArn: ARN,
      minProvisionedTPS: v.optional(whole(1), 1),
      campaignConfig: Config,
      tags: TAGS,
    }),
    ({ name, solutionVersionArn, minProvisionedTPS, campaignConfig, tags }, account) => {
      checkConfig(campaignConfig, solutionVersionArn, account);
      const quota = { present: account.list("campaign").length, most: MOST_CAMPAIGNS };
      const config = campaignConfig && { campaignConfig };
      return account.add({ kind: "campaign", name, solutionVersionArn, minProvisionedTPS, ...config }, { tags, quota });
    },
  ),
  DescribeCampaign: describing("campaign", (campaign) => {
    const { update } = campaign;
    const latest = update && { latestCampaignUpdate: updateSummary(update) };
    return { ...summaryOf(campaign), ...settings(campaign), ...latest };
  }),
  ListCampaigns: listing("campaign", summaryOf, {
    member: "solutionArn",
    owns: (arn, { solutionVersionArn }) => solutionVersionArn.startsWith(`${arn}/`),
  }),
  UpdateCampaign: operation(
    v.strictObject({
      campaignArn: ARN,
      solutionVersionArn: v.optional(ARN),
      minProvisionedTPS: v.optional(whole(1)),
      campaignConfig: Config,
    }),
    ({ campaignArn, solutionVersionArn, minProvisionedTPS, campaignConfig }, account) => {
      const campaign = account.find("campaign", campaignArn);
      requireActive(campaign);
      if (isUpdating(campaign.update)) {
        throw inUse(`Campaign ${campaignArn} is already being updated, its update is ${campaign.update.status}.`);
      }
      const config = campaignConfig ?? campaign.campaignConfig;
      const next = {
        solutionVersionArn: solutionVersionArn ?? campaign.solutionVersionArn,
        minProvisionedTPS: minProvisionedTPS ?? campaign.minProvisionedTPS,
        ...(config && { campaignConfig: config }),
      };
      checkConfig(config, next.solutionVersionArn, account);
      beginUpdate(campaign, next, account);
      return { campaignArn };
    },
  ),
  DeleteCampaign: onResource("campaign", (campaign, account) => {
    if (isUpdating(campaign.update)) {
      throw inUse(`Campaign ${campaign.arn} cannot be deleted while it is being updated.`);
    }
    return beginDeletion(campaign, account);
  }),
};

/** Returns the version that a campaign serves. `$LATEST` is the newest ACTIVE one. Throws ResourceNotFoundException. */
export function servedVersion(account: Account, solutionVersionArn: string): SolutionVersion {
  if (!solutionVersionArn.endsWith(`/${LATEST}`)) return account.find("solution-version", solutionVersionArn);
  const solutionArn = solutionVersionArn.slice(0, -LATEST.length - 1);
  const latest = account
    .list("solution-version")
    .findLast((version) => version.solutionArn === solutionArn && version.status === "ACTIVE");
  return latest ?? account.find("solution-version", solutionVersionArn);
}

/**
 * Rejects unknown or invalid exploration settings. Values are strings.
 * Source: "User-Personalization recipe", campaign hyperparameters, Personalize Developer Guide.
 */
export function checkExploration(given: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(given)) {
    const number = value.trim() === "" ? Number.NaN : Number(value);
    if (name === "explorationWeight") {
      if (!(number >= 0 && number <= 1)) throw invalid(`explorationWeight must be from 0 to 1, got "${value}".`);
    } else if (name === "explorationItemAgeCutOff") {
      if (!(number > 0)) throw invalid(`explorationItemAgeCutOff must be a positive number of days, got "${value}".`);
    } else {
      throw invalid(`itemExplorationConfig has explorationWeight and explorationItemAgeCutOff, got ${name}.`);
    }
  }
}

function checkConfig(config: v.InferOutput<typeof Config>, versionArn: string, account: Account): void {
  const sync = config?.syncWithLatestSolutionVersion === true;
  if (sync !== versionArn.endsWith(`/${LATEST}`)) {
    throw invalid(
      `syncWithLatestSolutionVersion goes with solutionVersionArn <solutionArn>/${LATEST}, got ${versionArn}.`,
    );
  }
  const version = servedVersion(account, versionArn);
  requireActive(version);
  const { recipeArn } = account.find("solution", version.solutionArn);
  if (config?.itemExplorationConfig && !/\/aws-user-personalization$/.test(recipeArn)) {
    throw invalid(`itemExplorationConfig is for the recipe aws-user-personalization only, not for ${recipeArn}.`);
  }
  checkExploration(config?.itemExplorationConfig ?? {});
}

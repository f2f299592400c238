import {
  type Campaign,
  CreateCampaignCommand,
  DeleteCampaignCommand,
  DescribeCampaignCommand,
  UpdateCampaignCommand,
} from "@aws-sdk/client-personalize";
import { ifFree, ignoreNotFound, isNamed } from "../../platform/aws/errors.ts";
import { versionParameter } from "../../platform/naming/version-parameter.ts";
import { explores, sameExploration } from "./exploration.ts";
import { failed, hasFailed, isMoving, type Managing, untilGone, untilSettled } from "./managing.ts";
import { describeVersion, ifNew, ManagerError, type Personalize, tagList } from "./personalize.ts";
import type { CampaignInput, Exploration, ResourceState } from "./request.ts";

/** The desired state of a campaign. */
export interface CampaignTarget {
  name: string;
  arn: string;
  solutionVersionArn: string;
  minProvisionedTps: number;
  /** How new items are tried out, if the version's recipe does that. */
  exploration?: Exploration | undefined;
  tags?: Readonly<Record<string, string>>;
  /** Whether the last step found or created it: if it is gone or going, somebody has deleted it since. */
  wasThere?: boolean;
}

/** A campaign's progress towards its desired state. */
export type CampaignStep = { state: "moving"; status: string } | { state: "done" } | { state: "failed"; error: Error };

/** Status of a campaign that has no solution version to serve yet. */
export const AWAITING_TRAINING = "awaiting training";

/**
 * Takes the next step towards the desired state: creates the campaign, updates version or TPS, or reports that it is
 * done. Never waits. `mayRetry`: a failure that it finds is from an earlier run, so it retries instead of reporting it.
 */
export async function stepCampaign(
  personalize: Personalize,
  target: CampaignTarget,
  mayRetry: boolean,
): Promise<CampaignStep> {
  const what = `The campaign ${target.name}`;
  const { name, arn: campaignArn, solutionVersionArn, minProvisionedTps: minProvisionedTPS, exploration } = target;
  const served = { solutionVersionArn, minProvisionedTPS };
  const wanted: Serving = {
    ...served,
    ...(exploration && { campaignConfig: { itemExplorationConfig: exploration } }),
  };
  const found = await describeCampaign(personalize, campaignArn);
  // Do not recreate a campaign that is being deleted: its recipe or the service was removed, so no later run would
  // delete the new one.
  if (target.wasThere && isGoing(found))
    return { state: "failed", error: new ManagerError(`${what} was deleted while it was awaited`) };
  if (!found) {
    await create(personalize, { name, ...changeOf({}, wanted), ...served, tags: tagList(target.tags ?? {}) }, what);
    return { state: "moving", status: "CREATE PENDING" };
  }
  if (isMoving(found.status)) return { state: "moving", status: found.status ?? "" };
  if (hasFailed(found.status)) {
    if (!mayRetry) return { state: "failed", error: failed(what, found) };
    await ignoreNotFound(personalize.send(new DeleteCampaignCommand({ campaignArn })));
    return { state: "moving", status: "DELETE PENDING" };
  }
  const { latestCampaignUpdate: update } = found;
  if (isMoving(update?.status)) return { state: "moving", status: `UPDATE ${update?.status?.replace("CREATE ", "")}` };
  if (serves(found, wanted)) return { state: "done" };
  if (update && hasFailed(update.status) && serves({ ...found, ...update }, wanted) && !mayRetry) {
    return { state: "failed", error: failed(`The update of ${what.toLowerCase()}`, update) };
  }
  // A deployment and a training may update at the same time. The later one is rejected, and its next poll shows the
  // update.
  await ifFree(personalize.send(new UpdateCampaignCommand({ campaignArn, ...changeOf(found, wanted) })));
  return { state: "moving", status: "UPDATE PENDING" };
}

/**
 * Creates or updates the campaign as the input says and waits for it. If there is no solution version to serve yet,
 * does nothing and returns `awaiting training`: the first training creates the campaign.
 */
export async function convergeCampaign(managing: Managing, input: CampaignInput): Promise<ResourceState> {
  const { personalize, pointers, names, patience, versionFor } = managing;
  const { kind, name, recipe } = input;
  const what = `The campaign ${name}`;
  const arn = names.campaignArn(recipe);
  if (name !== names.campaign(recipe)) {
    throw new ManagerError(`The campaign of ${recipe} is ${names.campaign(recipe)}, got ${name}`);
  }
  const present = await untilSettled(what, patience, () => describeCampaign(personalize, arn));
  const solutionVersionArn = keptVersion(present) ?? (await versionFor(recipe));
  if (solutionVersionArn === undefined) return { kind, name, arn: null, status: AWAITING_TRAINING };

  const { min_provisioned_tps: minProvisionedTps, tags } = input;
  const served = input.exploration && (await describeVersion(personalize, solutionVersionArn));
  const exploration = explores(served?.recipeArn) ? input.exploration : undefined;
  const target = { name, arn, solutionVersionArn, minProvisionedTps, exploration, tags };
  let first = true;
  let wasThere = false;
  const settled = await untilSettled(what, patience, async () => {
    const step = await stepCampaign(personalize, { ...target, wasThere }, first);
    first = false;
    wasThere = step.state === "moving" && isThere(step.status);
    if (step.state === "failed") throw step.error;
    return { status: step.state === "moving" ? step.status : "ACTIVE" };
  });
  await pointers.write(names.campaignParameter(recipe), arn);
  return { kind, name, arn, status: settled?.status ?? "ACTIVE" };
}

/** Deletes the campaign's pointer, so that requests stop using it, waits for an update in progress, and deletes it. */
export async function deleteCampaign(
  { personalize, pointers, names, patience }: Managing,
  { name, recipe }: CampaignInput,
): Promise<void> {
  const what = `The campaign ${name}`;
  const arn = names.campaignArn(recipe);
  await pointers.remove(names.campaignParameter(recipe));
  await pointers.remove(versionParameter(names.campaignParameter(recipe)));
  const found = await untilSettled(what, patience, async () => {
    const campaign = await describeCampaign(personalize, arn);
    return campaign && isMoving(campaign.latestCampaignUpdate?.status) ? campaign.latestCampaignUpdate : campaign;
  });
  if (!found) return;
  await ignoreNotFound(personalize.send(new DeleteCampaignCommand({ campaignArn: arn })));
  await untilGone(what, patience, () => describeCampaign(personalize, arn));
}

/** Returns whether a campaign with this status, as a step reported it, is there to stay. */
export const isThere = (status: string): boolean => !status.startsWith("DELETE");

const isGoing = (found: Campaign | undefined) => !found || !isThere(found.status ?? "");

/** Returns the campaign; undefined if there is none. */
export async function describeCampaign(personalize: Personalize, arn: string): Promise<Campaign | undefined> {
  return (await ignoreNotFound(personalize.send(new DescribeCampaignCommand({ campaignArn: arn }))))?.campaign;
}

/**
 * Returns the version that an existing campaign keeps, since only training changes the version: the one that an update
 * in progress switches to, else the current one. Undefined if the campaign does not exist or failed, and must be
 * created.
 */
function keptVersion(present: Campaign | undefined): string | undefined {
  if (!present || hasFailed(present.status)) return undefined;
  const coming = present.latestCampaignUpdate;
  return (isMoving(coming?.status) ? coming?.solutionVersionArn : undefined) ?? present.solutionVersionArn;
}

type Serving = Pick<Campaign, "solutionVersionArn" | "minProvisionedTPS" | "campaignConfig">;

function serves(found: Serving, wanted: Serving): boolean {
  return (
    found.solutionVersionArn === wanted.solutionVersionArn &&
    found.minProvisionedTPS === wanted.minProvisionedTPS &&
    (wanted.campaignConfig === undefined || explorationIsAs(found, wanted))
  );
}

const explorationIsAs = (found: Serving, wanted: Serving) =>
  sameExploration(found.campaignConfig?.itemExplorationConfig, wanted.campaignConfig?.itemExplorationConfig);

/**
 * Returns what an update changes. Exploration is named only if it changes, and removed with a recipe that explored, since
 * Personalize refuses it for any other.
 */
function changeOf(found: Serving, { campaignConfig, ...others }: Serving): Serving {
  if (campaignConfig) return explorationIsAs(found, { campaignConfig }) ? others : { ...others, campaignConfig };
  return found.campaignConfig?.itemExplorationConfig ? { ...others, campaignConfig: {} } : others;
}

async function create(
  personalize: Personalize,
  input: ConstructorParameters<typeof CreateCampaignCommand>[0],
  what: string,
): Promise<void> {
  try {
    await ifNew(personalize.send(new CreateCampaignCommand(input)));
  } catch (error) {
    if (!isNamed(error, "LimitExceededException")) throw error;
    throw new ManagerError(
      `${what} does not fit into the quota: ${(error as Error).message} Remove a campaign, or have the quota raised`,
      { cause: error },
    );
  }
}

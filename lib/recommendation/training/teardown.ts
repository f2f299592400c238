import {
  DeleteCampaignCommand,
  DeleteSolutionCommand,
  ListCampaignsCommand,
  StopSolutionVersionCreationCommand,
} from "@aws-sdk/client-personalize";
import { describeDatasetGroup } from "../../personalize/resources/dataset-group.ts";
import { type Inventory, readCampaigns, readSolutions } from "../../personalize/resources/inventory.ts";
import { isMoving, isStopping } from "../../personalize/resources/managing.ts";
import { allPages, listImports } from "../../personalize/resources/personalize.ts";
import { ifFree, isDeleted, isNamed } from "../../platform/aws/errors.ts";
import { DATASETS, RECIPE_KINDS } from "../../platform/contract/recommendation.ts";
import { versionParameter } from "../../platform/naming/version-parameter.ts";
import { takeLock } from "./begin.ts";
import { type Readiness, type TrainingContext, TrainingError } from "./context.ts";
import { STOPPED_BY_UNINSTALL } from "./state.ts";

type Solutions = Inventory["solutions"];

/**
 * Advances the removal of everything that training created, without waiting: stops the running training, then deletes
 * campaigns, then solutions with their versions. Each call starts from what exists, so an interrupted teardown can be
 * started again. `left` describes what is still in progress. Throws TrainingError if a resource that this service did
 * not create is in the way.
 */
export async function teardown(
  input: { run: string; execution: string; startedAt: string },
  context: TrainingContext,
): Promise<Readiness & { left: string[] }> {
  const { state, executions, looks } = context;
  const holder = await state.lock();
  if (holder && holder.run !== input.run) {
    await executions.stop(holder.execution, STOPPED_BY_UNINSTALL, "The recommendation service is being uninstalled");
    if (await executions.isRunning(holder.execution)) {
      return { ready: false, seconds: looks.teardown, left: [`training ${holder.run} is being stopped`] };
    }
  }
  // The lock keeps a new training from starting. If an interrupted uninstall has already removed the table, none can
  // start.
  await takeLock({ ...input, mode: "init" }, [], context).catch((error: unknown) => {
    if (!isNamed(error, "ResourceNotFoundException")) throw error;
  });
  const left = await nextStep(context);
  if (left) {
    await state.note(input.run, { step: "teardown", detail: left.join(", "), recipes: [] });
    return { ready: false, seconds: looks.teardown, left };
  }
  await state.forget();
  await state.release(input.run);
  return { ready: true, seconds: 0, left: [] };
}

/** Takes the next step. Returns what is still in progress, or undefined if nothing is left. */
async function nextStep(context: TrainingContext): Promise<string[] | undefined> {
  const { personalize, names } = context;
  if (!(await describeDatasetGroup(personalize, names))) return undefined;
  const solutions = await readSolutions(personalize, names);
  // Checked before any change: this function may not touch foreign solutions, and they keep the dataset group from
  // deletion.
  const foreign = solutions.filter(({ recipe }) => recipe === null).map(({ name }) => name);
  if (foreign.length > 0) {
    throw new TrainingError(
      `The dataset group ${names.datasetGroup()} contains what this service did not create: solution ${foreign.join(", ")}. ` +
        "Remove it by hand, with its campaigns, then run `relevance uninstall` again",
    );
  }
  return (
    (await stopWork(solutions, context)) ??
    (await removeCampaigns(context)) ??
    (await removeSolutions(solutions, context))
  );
}

/** Stops trainings. Imports cannot be stopped, but end soon. Returns what is still in progress, or undefined. */
async function stopWork(solutions: Solutions, { personalize, names }: TrainingContext): Promise<string[] | undefined> {
  const left: string[] = [];
  for (const dataset of DATASETS) {
    for (const { jobName, status } of await listImports(personalize, names.datasetArn(dataset))) {
      if (isMoving(status)) left.push(`import ${jobName} is ${status}`);
    }
  }
  for (const { name, versions } of solutions) {
    for (const { arn, status } of versions) {
      if (!isMoving(status)) continue;
      left.push(`version ${arn.slice(arn.lastIndexOf("/") + 1)} of ${name} is being stopped`);
      if (isStopping(status)) continue;
      await ifFree(personalize.send(new StopSolutionVersionCreationCommand({ solutionVersionArn: arn })));
    }
  }
  return left.length > 0 ? left : undefined;
}

async function removeCampaigns({ personalize, names, pointers }: TrainingContext): Promise<string[] | undefined> {
  const campaigns = await readCampaigns(personalize, names);
  for (const { arn, recipe, status } of campaigns) {
    const parameter = names.campaignParameter(recipe);
    await pointers.remove(parameter);
    await pointers.remove(versionParameter(parameter));
    if (!isMoving(status)) await isDeleted(personalize.send(new DeleteCampaignCommand({ campaignArn: arn })));
  }
  if (campaigns.length === 0) return undefined;
  return campaigns.map(({ name, status }) => `campaign ${name} is ${isMoving(status) ? status : "being removed"}`);
}

async function removeSolutions(solutions: Solutions, context: TrainingContext): Promise<string[] | undefined> {
  const { personalize } = context;
  for (const { name, arn, status } of solutions) {
    if (isMoving(status)) continue;
    const deletion = personalize.send(new DeleteSolutionCommand({ solutionArn: arn }));
    if (!(await isDeleted(deletion))) await requireNoOthers(name, arn, context);
  }
  if (solutions.length === 0) return undefined;
  return solutions.map(({ name, status }) => `solution ${name} is ${isMoving(status) ? status : "being removed"}`);
}

/**
 * Throws TrainingError if a campaign that this service did not create uses the solution: the teardown would wait for it
 * forever. This service's own campaigns and trainings are gone by now, so any other use of the solution ends soon.
 */
async function requireNoOthers(
  name: string,
  solutionArn: string,
  { personalize, names }: TrainingContext,
): Promise<void> {
  const campaigns = await allPages(
    (nextToken) => personalize.send(new ListCampaignsCommand({ solutionArn, nextToken })),
    (page) => page.campaigns,
  );
  // For a moment, the list may still show campaigns that were just deleted.
  const own = RECIPE_KINDS.map((recipe) => names.campaign(recipe));
  const others = campaigns.filter((one) => !own.includes(one.name ?? "") && !isMoving(one.status));
  if (others.length === 0) return;
  throw new TrainingError(
    `The solution ${name} is used by what this service did not create: campaign ${others.map((one) => one.name).join(", ")}. ` +
      "Remove it by hand, then run `relevance uninstall` again",
  );
}

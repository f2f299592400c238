import {
  DeleteCampaignCommand,
  DeleteSolutionCommand,
  DescribeDatasetGroupCommand,
  ListDatasetImportJobsCommand,
  StopSolutionVersionCreationCommand,
} from "@aws-sdk/client-personalize";
import { DATASETS } from "../config/avro.ts";
import { datasetGroupArn } from "../personalize-manager/dataset-group.ts";
import { readInventory } from "../personalize-manager/inventory.ts";
import { allPages, ifFree, ifThere } from "../personalize-manager/personalize.ts";
import { isMoving } from "../personalize-manager/waiting.ts";
import { takeLock } from "./begin.ts";
import type { Readiness, TrainingContext } from "./context.ts";
import { TrainingError } from "./training-error.ts";

/**
 * Takes the next steps of removing what training made: the running training is stopped, then campaigns go, then
 * solutions with their versions. Each call looks at what is there, so it can be cut off and started again. `left` says in
 * words what is waited for.
 */
export async function teardown(
  input: { run: string; execution: string; startedAt: string },
  context: TrainingContext,
): Promise<Readiness & { left: string[] }> {
  const { state, executions, looks } = context;
  const holder = await state.lock();
  if (holder && holder.run !== input.run) {
    await executions.stop(holder.execution, "The recommendation service is being uninstalled");
    if (await executions.isRunning(holder.execution)) {
      return { ready: false, seconds: looks.teardown, left: [`training ${holder.run} is being stopped`] };
    }
  }
  // Nobody may begin a training in between.
  await takeLock({ ...input, mode: "init" }, [], context);
  const left = (await stopWork(context)) ?? (await removeCampaigns(context)) ?? (await removeSolutions(context));
  if (left) {
    await state.note(input.run, { step: "teardown", detail: left.join(", "), recipes: [] });
    return { ready: false, seconds: looks.teardown, left };
  }
  await state.forget();
  await state.release(input.run);
  return { ready: true, seconds: 0, left: [] };
}

/** Stops trainings; imports cannot be stopped, but end soon. What is still going on, undefined when nothing is. */
async function stopWork({ personalize, names }: TrainingContext): Promise<string[] | undefined> {
  const group = await ifThere(
    personalize.send(new DescribeDatasetGroupCommand({ datasetGroupArn: datasetGroupArn({ names }) })),
  );
  if (!group) return undefined;
  const left: string[] = [];
  for (const dataset of DATASETS) {
    const datasetArn = names.datasetArn(dataset);
    const jobs = await ifThere(
      allPages(
        (nextToken) => personalize.send(new ListDatasetImportJobsCommand({ datasetArn, nextToken })),
        (page) => page.datasetImportJobs,
      ),
    );
    for (const { jobName, status } of jobs ?? []) if (isMoving(status)) left.push(`import ${jobName} is ${status}`);
  }
  const { solutions } = await readInventory(personalize, names);
  for (const { name, versions } of solutions) {
    for (const { arn, status } of versions) {
      if (!isMoving(status)) continue;
      left.push(`version ${arn.slice(arn.lastIndexOf("/") + 1)} of ${name} is being stopped`);
      await ifFree(personalize.send(new StopSolutionVersionCreationCommand({ solutionVersionArn: arn })));
    }
  }
  return left.length > 0 ? left : undefined;
}

async function removeCampaigns({ personalize, names, pointers }: TrainingContext): Promise<string[] | undefined> {
  const { campaigns } = await readInventory(personalize, names);
  for (const { arn, recipe, status } of campaigns) {
    await pointers.remove(names.campaignParameter(recipe));
    if (!isMoving(status)) await ifFree(ifThere(personalize.send(new DeleteCampaignCommand({ campaignArn: arn }))));
  }
  if (campaigns.length === 0) return undefined;
  return campaigns.map(({ name, status }) => `campaign ${name} is ${isMoving(status) ? status : "being removed"}`);
}

async function removeSolutions({ personalize, names }: TrainingContext): Promise<string[] | undefined> {
  const { solutions } = await readInventory(personalize, names);
  for (const { name, arn, status, recipe } of solutions) {
    if (isMoving(status)) continue;
    const gone = await ifFree(
      ifThere(personalize.send(new DeleteSolutionCommand({ solutionArn: arn }))).then((found) => found ?? {}),
    );
    if (!gone && recipe === null) {
      throw new TrainingError(
        `The solution ${name} was not made by this service and is in use: remove its campaign, then start again`,
      );
    }
  }
  if (solutions.length === 0) return undefined;
  return solutions.map(({ name, status }) => `solution ${name} is ${isMoving(status) ? status : "being removed"}`);
}

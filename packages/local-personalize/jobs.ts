import type { Account } from "./account.ts";
import { runBatch } from "./batch.ts";
import { type ObjectReader, readImport, readUserIds, typesProblem } from "./data/csv-import.ts";
import type { ImportedRows } from "./data/rows.ts";
import { type Model, train } from "./learn/train.ts";
import { parametersOf, recipeOf } from "./recipes.ts";
import type { BatchInferenceJob, DataDeletionJob, ImportJob, Solution, SolutionVersion } from "./resources.ts";

/** The result of a finished job. */
export type JobResult =
  | { rows: ImportedRows }
  | { users: ReadonlySet<string> }
  | { written: true }
  | { model: Model; metrics: Record<string, number>; hours: number }
  | { failure: string };

/** Reads the rows of an import job. Never rejects. */
export async function runImport(account: Account, job: ImportJob): Promise<JobResult> {
  try {
    const dataset = account.find("dataset", job.datasetArn);
    const rows = await readImport(
      job.dataLocation,
      account.schemaOf(dataset),
      dataset.datasetType,
      objectsOf(account, job),
    );
    return { rows };
  } catch (error) {
    const type = account.get(job.datasetArn)?.name ?? "";
    return { failure: `Failed to create a data import job for ${type} dataset. ${messageOf(error)}` };
  }
}

/** Reads the users that a job deletes. Never rejects. */
export async function runDeletion(account: Account, job: DataDeletionJob): Promise<JobResult> {
  try {
    return { users: await readUserIds(job.dataLocation, objectsOf(account, job)) };
  } catch (error) {
    return { failure: messageOf(error) };
  }
}

/** Writes the recommendations of a batch inference job. Never rejects. */
export async function runBatchInference(account: Account, job: BatchInferenceJob): Promise<JobResult> {
  try {
    await runBatch(account, job, objectsOf(account, job));
    return { written: true };
  } catch (error) {
    return { failure: messageOf(error) };
  }
}

function objectsOf({ objects }: Account, job: ImportJob | DataDeletionJob | BatchInferenceJob): ObjectReader {
  return objects.as?.(job) ?? objects;
}

/** Trains a solution version from the current data. Never rejects. */
export async function runTraining(account: Account, version: SolutionVersion): Promise<JobResult> {
  const begun = performance.now();
  try {
    const trained = await train(trainingInput(account, account.find("solution", version.solutionArn)));
    return { ...trained, hours: (performance.now() - begun) / 3_600_000 };
  } catch (error) {
    return { failure: `Create failed. ${messageOf(error)}` };
  }
}

function trainingInput(account: Account, solution: Solution): Parameters<typeof train>[0] {
  const recipe = recipeOf(solution.recipeArn);
  const interactions = account.datasetOf(solution.groupArn, "INTERACTIONS");
  if (!recipe || !interactions) throw new Error("The dataset group has no Interactions dataset.");
  const all = account.data(interactions.arn).interactions().all();
  const columns = account.schemaOf(interactions).fields.map(({ name }) => name);
  const problem = typesProblem(columns, new Set(all.map(({ eventType }) => eventType)));
  if (problem !== undefined) throw new Error(problem);
  const items = account.datasetOf(solution.groupArn, "ITEMS");
  const { algorithmHyperParameters, featureTransformationParameters, trainingDataConfig } = solution.solutionConfig;
  const algorithm = parametersOf(recipe, "algorithm", algorithmHyperParameters);
  const featurization = parametersOf(recipe, "featurization", featureTransformationParameters);
  const excluded = new Set(columnsOf(trainingDataConfig?.excludedDatasetColumns, "ITEMS"));
  const features = (items ? account.schemaOf(items).fields : []).filter(({ name }) => !excluded.has(name));
  return {
    recipe,
    parameters: { ...algorithm, ...featurization },
    interactions: all,
    choice: eventChoice(solution),
    items: items ? account.data(items.arn).records("ITEM_ID") : new Map(),
    featureColumns: {
      categorical: features.flatMap(({ name, categorical }) => (categorical ? [name] : [])),
      textual: features.flatMap(({ name, textual }) => (textual ? [name] : [])),
    },
    takenAt: account.now(),
  };
}

function columnsOf(columns: Readonly<Record<string, readonly string[]>> = {}, type: string): readonly string[] {
  return Object.entries(columns)
    .filter(([name]) => name.toUpperCase() === type)
    .flatMap(([, names]) => names);
}

function eventChoice({ eventType, solutionConfig }: Solution) {
  const listed = solutionConfig.eventsConfig?.eventParametersList ?? [];
  if (listed.length > 0) {
    const entries = listed.map((event) => [(event.eventType ?? "").toLowerCase(), event.eventValueThreshold] as const);
    return { thresholds: new Map(entries) };
  }
  const { eventValueThreshold } = solutionConfig;
  if (eventType === undefined) return { thresholds: null };
  const threshold = eventValueThreshold === undefined ? undefined : Number(eventValueThreshold);
  return { thresholds: new Map([[eventType.toLowerCase(), threshold]]) };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

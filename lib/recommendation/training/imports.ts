import {
  CreateDatasetImportJobCommand,
  DescribeDatasetImportJobCommand,
  ListDatasetImportJobsCommand,
} from "@aws-sdk/client-personalize";
import { isNamed } from "../../aws/errors.ts";
import { DATASETS, type Dataset } from "../../config/avro.ts";
import { allPages, ifNew } from "../../personalize/resources/personalize.ts";
import { hasFailed, isMoving } from "../../personalize/resources/waiting.ts";
import { readManifest } from "../etl/manifest.ts";
import type { Readiness, TrainingContext } from "./context.ts";
import { requireInitial } from "./initial-training.ts";
import { TrainingError } from "./training-error.ts";

/** One import of a run. */
export interface ImportJob {
  dataset: Dataset;
  arn: string;
}

/**
 * Starts the imports of a run's data: each replaces what the dataset got by imports before. One of the same data and
 * chain that is the newest of its dataset is joined, whether it goes on or has ended; one that failed is done again. Throws
 * TrainingError, with nothing imported, when mode init would have events trained twice.
 */
export async function startImports(
  input: { run: string; origin: string; data: string },
  context: TrainingContext,
): Promise<{ jobs: ImportJob[] }> {
  const manifest = await readManifest(context.store, input.run);
  if (!manifest) throw new TrainingError(`The run ${input.run} has no manifest: its ETL did not end`);
  const planned: PlannedImport[] = [];
  for (const dataset of DATASETS) {
    // Personalize refuses a file without a record; without users or items it learns from events alone.
    if (manifest[dataset].rows === 0) continue;
    planned.push({ dataset, ...(await planImport(dataset, `${input.origin} ${input.data}`, context)) });
  }
  if (planned.some((one) => one.dataset === "interaction" && !one.joined)) await requireInitial(manifest, context);
  const jobs: ImportJob[] = [];
  for (const { dataset, joined, jobName } of planned) {
    const arn = joined ?? (await createImport(dataset, jobName, manifest[dataset].folder, context));
    jobs.push({ dataset, arn });
  }
  await context.state.note(input.run, { step: "imports", detail: "imports begin", recipes: [] });
  return { jobs };
}

interface PlannedImport {
  dataset: Dataset;
  /** The next free name. */
  jobName: string;
  /** ARN of the one to join. */
  joined?: string;
}

async function planImport(
  dataset: Dataset,
  of: string,
  { personalize, names }: TrainingContext,
): Promise<Omit<PlannedImport, "dataset">> {
  const datasetArn = names.datasetArn(dataset);
  const listed = await allPages(
    (nextToken) => personalize.send(new ListDatasetImportJobsCommand({ datasetArn, nextToken })),
    (page) => page.datasetImportJobs,
  );
  const newest = listed.toSorted((a, b) => time(b.creationDateTime) - time(a.creationDateTime))[0];
  const known = new Set(listed.map(({ jobName }) => jobName));
  const named = (attempt: number) => names.importJob(dataset, `${of} ${attempt}`);
  let attempt = 1;
  while (known.has(named(attempt))) attempt += 1;
  const jobName = named(attempt);
  const isOurs = newest?.jobName !== undefined && newest.jobName === named(attempt - 1);
  if (!isOurs || hasFailed(newest.status)) return { jobName };
  return { jobName, joined: newest.datasetImportJobArn ?? "" };
}

async function createImport(
  dataset: Dataset,
  jobName: string,
  folder: string,
  { personalize, names, bucket, importRoleArn, settings }: TrainingContext,
): Promise<string> {
  const command = new CreateDatasetImportJobCommand({
    jobName,
    datasetArn: names.datasetArn(dataset),
    dataSource: { dataLocation: `s3://${bucket}/${folder}` },
    roleArn: importRoleArn,
    importMode: "FULL",
    tags: Object.entries(settings.tags).map(([tagKey, tagValue]) => ({ tagKey, tagValue })),
  });
  const created = await ifNew(personalize.send(command));
  return created?.datasetImportJobArn ?? names.arn("personalize", `dataset-import-job/${jobName}`);
}

/** Whether all imports have ended. Throws TrainingError with Personalize's reasons when some failed and none goes on. */
export async function pollImports(
  run: string,
  jobs: readonly ImportJob[],
  { personalize, state, looks }: TrainingContext,
): Promise<Readiness> {
  const found = await Promise.all(
    jobs.map(async ({ dataset, arn: datasetImportJobArn }) => {
      const answer = await personalize.send(new DescribeDatasetImportJobCommand({ datasetImportJobArn }));
      const { status = "", failureReason = "" } = answer.datasetImportJob ?? {};
      return { dataset, status, failureReason };
    }),
  );
  const detail = found.map(({ dataset, status }) => `${dataset}s ${status}`).join(", ");
  await state.note(run, { step: "imports", detail, recipes: [] });
  if (found.some(({ status }) => isMoving(status))) return { ready: false, seconds: looks.imports };
  const failed = found.filter(({ status }) => status !== "ACTIVE");
  if (failed.length === 0) return { ready: true, seconds: 0 };
  const reasons = failed.map(({ dataset, status, failureReason }) => `${dataset}s is ${status}: ${failureReason}`);
  throw new TrainingError(`Personalize could not import all data. ${reasons.join("; ")}`);
}

/** Whether an error says that as much as may go on at the same time does so: it passes. */
export function isCrowded(error: unknown): boolean {
  return isNamed(error, "LimitExceededException") && /PENDING|IN_PROGRESS|in progress/i.test(String(error));
}

const time = (date: Date | undefined) => date?.getTime() ?? 0;

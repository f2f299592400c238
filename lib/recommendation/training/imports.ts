import { CreateDatasetImportJobCommand, DescribeDatasetImportJobCommand } from "@aws-sdk/client-personalize";
import { hasFailed, isMoving } from "../../personalize/resources/managing.ts";
import { ifNew, listImports, tagList } from "../../personalize/resources/personalize.ts";
import { isNamed } from "../../platform/aws/errors.ts";
import { DATASETS, type Dataset, RECIPE_KINDS, type RecipeKind } from "../../platform/contract/recommendation.ts";
import type { Manifest } from "../etl/tasks.ts";
import { type Readiness, requireManifest, type TrainingContext, TrainingError } from "./context.ts";

/** One dataset import job of a run. */
interface ImportJob {
  dataset: Dataset;
  arn: string;
}

/**
 * Starts the imports of a run's data. Each import replaces everything that was imported into its dataset before. If
 * the newest import of a dataset belongs to the same chain and data and has not failed, it is reused, running or ended.
 * Without recipes nothing is imported. Throws TrainingError, before any import, if mode init would train events twice.
 */
export async function startImports(
  input: { run: string; origin: string; data: string },
  context: TrainingContext,
): Promise<{ jobs: ImportJob[] }> {
  const manifest = await requireManifest(context.store, input.run);
  const planned: PlannedImport[] = [];
  // The built-in engine reads the files themselves.
  const datasets = Object.keys(context.settings.recipes).length > 0 ? DATASETS : [];
  for (const dataset of datasets) {
    // Personalize rejects a file without records. It can train without users or items.
    if (manifest[dataset].rows === 0) continue;
    planned.push({ dataset, ...(await planImport(dataset, `${input.origin} ${input.data}`, context)) });
  }
  if (planned.some((one) => one.dataset === "interaction" && !one.joined)) await requireInitial(manifest, context);
  const jobs: ImportJob[] = [];
  for (const { dataset, joined, jobName } of planned) {
    const arn = joined ?? (await createImport(dataset, jobName, manifest[dataset].folder, context));
    jobs.push({ dataset, arn });
  }
  await context.state.note(input.run, { step: "imports", detail: "imports are starting", recipes: [] });
  return { jobs };
}

interface PlannedImport {
  dataset: Dataset;
  /** The next unused name. */
  jobName: string;
  /** ARN of the import to reuse. */
  joined?: string;
}

async function planImport(
  dataset: Dataset,
  of: string,
  { personalize, names }: TrainingContext,
): Promise<Omit<PlannedImport, "dataset">> {
  const listed = await listImports(personalize, names.datasetArn(dataset));
  const [newest] = listed.toSorted((a, b) => createdAt(b) - createdAt(a));
  const known = new Set(listed.map(({ jobName }) => jobName));
  const named = (attempt: number) => names.importJob(dataset, `${of} ${attempt}`);
  let attempt = 1;
  while (known.has(named(attempt))) attempt += 1;
  const jobName = named(attempt);
  const isOurs = newest?.jobName !== undefined && newest.jobName === named(attempt - 1);
  if (!isOurs || hasFailed(newest.status)) return { jobName };
  return { jobName, joined: newest.datasetImportJobArn ?? "" };
}

/** Returns when an import was created, in ms. The service may leave it out. */
const createdAt = ({ creationDateTime }: { creationDateTime?: Date | undefined }) => creationDateTime?.getTime() ?? 0;

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
    tags: tagList(settings.tags),
  });
  const created = await ifNew(personalize.send(command));
  return created?.datasetImportJobArn ?? names.arn("personalize", `dataset-import-job/${jobName}`);
}

/** Polls the imports. When all have ended and some failed, throws TrainingError with Personalize's reasons. */
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
  throw new TrainingError(
    `Personalize could not import all data. ${reasons.join("; ")}. Correct what the reasons name, then start the training again`,
  );
}

/** Returns whether an error means that too many jobs are running at once, which is temporary. */
export function isCrowded(error: unknown): boolean {
  return isNamed(error, "LimitExceededException") && /PENDING|IN_PROGRESS|in progress/i.test(String(error));
}

/**
 * Throws TrainingError if an import in mode init would train events twice. Once the first campaign serves, the API
 * sends events to Personalize as they come in, with their IMPRESSION. Personalize keeps those events across imports and
 * merges only equal ones, but mode init imports the same events without IMPRESSION.
 */
export async function requireInitial(
  { impressions_left_out: leftOut }: Pick<Manifest, "impressions_left_out">,
  context: Pick<TrainingContext, "state" | "pointers" | "names">,
): Promise<void> {
  // Always 0 in mode update_dataset_group.
  if (leftOut === 0) return;
  const recipe = await servedRecipe(context);
  if (recipe === undefined) return;
  throw new TrainingError(
    `${recipe} is trained already, so mode init would train events twice: ${leftOut.toLocaleString("en")} carry ` +
      "IMPRESSION, which init leaves out, while those that came in since went to Personalize with it. Nothing was " +
      "imported. Train with --training-mode update_dataset_group (in solution.yaml: retraining.training_mode)",
  );
}

/** Returns a recipe whose campaign serves or has served, if any. */
async function servedRecipe({
  state,
  pointers,
  names,
}: Pick<TrainingContext, "state" | "pointers" | "names">): Promise<RecipeKind | undefined> {
  for (const kind of RECIPE_KINDS) {
    // The parameter with the campaign's ARN turns on the real-time path. The table also records deleted campaigns.
    const pointer = await pointers.read(names.campaignParameter(kind));
    if (pointer?.startsWith("arn:") || (await state.recipe(kind))?.active) return kind;
  }
  return undefined;
}

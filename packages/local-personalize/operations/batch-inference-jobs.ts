import { RECIPE_WITHOUT_BATCH } from "@relevance/lib/settings/recipes.ts";
import * as v from "valibot";
import { ARN, NAME, ROLE_ARN, TAGS, text, texts, whole } from "../members.ts";
import { recipeOf } from "../recipes.ts";
import type { BatchInferenceJob } from "../resources.ts";
import { invalid } from "../service-error.ts";
import { checkExploration } from "./campaigns.ts";
import { describing, listing, type Operation, operation, requireActive, requireRoom, summaryOf } from "./operation.ts";

/** Source: "Amazon Personalize endpoints and quotas": pending or in-progress batch inference jobs. */
const MOST_AT_ONCE = 5;
const MOST_RESULTS = 500;
const DEFAULT_RESULTS = 25;

const Place = v.strictObject({
  path: text(256, { pattern: /^(s3|http|https):\/\/.+$/ }),
  kmsKeyArn: v.optional(text(2048, { pattern: /^arn:aws.*:kms:.*:[0-9]{12}:key\/.*$/ })),
});

function summary(job: BatchInferenceJob) {
  const { name: jobName, ...common } = summaryOf(job);
  const { solutionVersionArn } = job;
  return { ...common, jobName, solutionVersionArn, batchInferenceJobMode: "BATCH_INFERENCE" };
}

/** The operations on batch inference jobs. Themes and ranking influence are rejected. */
export const BATCH_INFERENCE_JOBS: Readonly<Record<string, Operation>> = {
  CreateBatchInferenceJob: operation(
    v.strictObject({
      jobName: NAME,
      solutionVersionArn: ARN,
      filterArn: v.optional(ARN),
      numResults: v.optional(whole(1), DEFAULT_RESULTS),
      jobInput: v.strictObject({ s3DataSource: Place }),
      jobOutput: v.strictObject({ s3DataDestination: Place }),
      roleArn: ROLE_ARN,
      batchInferenceJobConfig: v.optional(
        v.strictObject({ itemExplorationConfig: v.optional(texts(text(256), 1000, 100)) }),
      ),
      batchInferenceJobMode: v.optional(v.picklist(["BATCH_INFERENCE", "THEME_GENERATION"]), "BATCH_INFERENCE"),
      themeGenerationConfig: v.optional(v.looseObject({})),
      tags: TAGS,
    }),
    (
      { jobName, tags, filterArn, batchInferenceJobConfig, batchInferenceJobMode, themeGenerationConfig, ...job },
      account,
    ) => {
      if (batchInferenceJobMode === "THEME_GENERATION" || themeGenerationConfig) {
        throw invalid("The local Personalize generates no themes.");
      }
      for (const path of [job.jobInput.s3DataSource.path, job.jobOutput.s3DataDestination.path]) {
        if (!/^s3:\/\/[^/]+\/.+/.test(path)) throw invalid(`Invalid Data location: ${path}.`);
      }
      if (!job.jobOutput.s3DataDestination.path.endsWith("/")) {
        throw invalid("jobOutput.s3DataDestination.path must be a folder, which ends in a slash.");
      }
      if (job.numResults > MOST_RESULTS) throw invalid(`numResults is at most ${MOST_RESULTS}, got ${job.numResults}.`);
      const version = account.find("solution-version", job.solutionVersionArn);
      requireActive(version);
      const { recipeArn, groupArn } = account.find("solution", version.solutionArn);
      const recipe = recipeOf(recipeArn)?.name;
      if (recipe === RECIPE_WITHOUT_BATCH) throw invalid(`Batch inference is not supported for the recipe ${recipe}.`);
      const exploration = batchInferenceJobConfig?.itemExplorationConfig;
      if (exploration && recipe !== "aws-user-personalization") {
        throw invalid(`itemExplorationConfig is for the recipe aws-user-personalization only, not for ${recipe}.`);
      }
      checkExploration(exploration ?? {});
      if (filterArn !== undefined) {
        const filter = account.find("filter", filterArn);
        if (filter.groupArn !== groupArn) throw invalid(`Filter ${filterArn} is of another dataset group.`);
        requireActive(filter);
      }
      requireRoom(account, "batch-inference-job", MOST_AT_ONCE);
      const more = { ...(filterArn !== undefined && { filterArn }), ...(exploration && { batchInferenceJobConfig }) };
      return account.add({ kind: "batch-inference-job", name: jobName, ...job, ...more }, { tags });
    },
  ),
  DescribeBatchInferenceJob: describing("batch-inference-job", (job) => {
    const { filterArn, numResults, jobInput, jobOutput, batchInferenceJobConfig, roleArn } = job;
    return { ...summary(job), filterArn, numResults, jobInput, jobOutput, batchInferenceJobConfig, roleArn };
  }),
  ListBatchInferenceJobs: listing("batch-inference-job", summary, {
    member: "solutionVersionArn",
    owns: (arn, { solutionVersionArn }) => arn === solutionVersionArn,
  }),
};

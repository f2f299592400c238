import * as v from "valibot";
import { AccountId, Text, WholeNumber } from "../../lib/platform/environment.ts";

/** The environment of training, which the stack sets. The recipes to train are in `config.json` beside the bundle. */
export const TrainingEnv = v.object({
  PROJECT_NAME: Text,
  ACCOUNT_ID: AccountId,
  /** Set by Lambda itself. */
  AWS_REGION: Text,
  BUCKET: Text,
  TRAINING_TABLE: Text,
  INGESTION_TABLE: Text,
  /** Role with which Personalize reads the bucket. */
  IMPORT_ROLE_ARN: Text,
  /** personalize.log_lookback_days of project.yaml. */
  LOG_LOOKBACK_DAYS: WholeNumber,
  /** Buffer interval of the Firehose stream of events, in seconds. */
  INGESTION_BUFFER_SECONDS: WholeNumber,
  /** Seconds between polls. Set only for the local Personalize, which is fast; absent for intervals that suit AWS. */
  POLL_SECONDS: v.optional(WholeNumber),
});

export type TrainingEnv = v.InferOutput<typeof TrainingEnv>;

/** The environment as the stack writes it. */
export type TrainingEnvInput = Omit<v.InferInput<typeof TrainingEnv>, "AWS_REGION">;

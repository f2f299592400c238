import * as v from "valibot";

const Text = v.pipe(v.string(), v.nonEmpty());
const Whole = v.pipe(v.string(), v.regex(/^\d{1,5}$/), v.transform(Number));

/** The environment of training, which the stack sets. The recipes to train are in `config.json` beside the bundle. */
export const TrainingEnv = v.object({
  PROJECT_NAME: Text,
  ACCOUNT_ID: v.pipe(v.string(), v.regex(/^\d{12}$/)),
  /** Set by Lambda itself. */
  AWS_REGION: Text,
  BUCKET: Text,
  TRAINING_TABLE: Text,
  INGESTION_TABLE: Text,
  /** Role with which Personalize reads the bucket. */
  IMPORT_ROLE_ARN: Text,
  /** personalize.log_lookback_days of project.yaml. */
  LOG_LOOKBACK_DAYS: Whole,
  /** Buffer interval of the Firehose stream of events, in seconds. */
  INGESTION_BUFFER_SECONDS: Whole,
  /** Seconds between polls. Set only for the local Personalize, which is fast; absent for intervals that suit AWS. */
  LOOK_SECONDS: v.optional(Whole),
});

export type TrainingEnv = v.InferOutput<typeof TrainingEnv>;

/** What the stack must put into the function's environment. */
export type TrainingEnvInput = Omit<v.InferInput<typeof TrainingEnv>, "AWS_REGION">;

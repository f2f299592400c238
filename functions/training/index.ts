import { PersonalizeClient } from "@aws-sdk/client-personalize";
import { ssmPointers } from "../../lib/personalize/resources/managing.ts";
import { personalizeOf } from "../../lib/personalize/resources/personalize.ts";
import { lazySender } from "../../lib/platform/aws/lazy-sender.ts";
import { s3ObjectStore } from "../../lib/platform/aws/s3-object-store.ts";
import { readConfig, readEnvironment } from "../../lib/platform/environment.ts";
import { deadlineIn } from "../../lib/platform/resilience/deadline.ts";
import { readAcceptedEvents } from "../../lib/recommendation/clients/accepted-events.ts";
import { sfnExecutions } from "../../lib/recommendation/training/context.ts";
import type { TrainingSettings } from "../../lib/recommendation/training/settings.ts";
import { dynamoTrainingState } from "../../lib/recommendation/training/state.ts";
import { TrainingEnv } from "./env.ts";
import { createHandler } from "./handler.ts";

/** Milliseconds for reading the counters of all days, and for each call. */
const COUNTERS_MS = 60_000;
const COUNTER_MS = 10_000;

const env = readEnvironment(TrainingEnv, process.env);
const settings = readConfig<TrainingSettings>(new URL("config.json", import.meta.url));
// A step uses two or three of these. Loading all would take a fifth of a second.
const OPTIONS = { maxAttempts: 1 };
const dynamo = lazySender(async () => new (await import("@aws-sdk/client-dynamodb")).DynamoDBClient(OPTIONS));
const s3 = lazySender(async () => new (await import("@aws-sdk/client-s3")).S3Client(OPTIONS));
const ssm = lazySender(async () => new (await import("@aws-sdk/client-ssm")).SSMClient(OPTIONS));
const sfn = lazySender(async () => new (await import("@aws-sdk/client-sfn")).SFNClient(OPTIONS));

export const handler = createHandler(env, {
  settings,
  personalize: personalizeOf(new PersonalizeClient(OPTIONS)),
  pointers: ssmPointers(ssm),
  store: s3ObjectStore(s3, env.BUCKET),
  state: dynamoTrainingState(dynamo, env.TRAINING_TABLE),
  executions: sfnExecutions(sfn),
  accepted: (days) =>
    readAcceptedEvents(dynamo, env.INGESTION_TABLE, days, {
      deadline: deadlineIn(COUNTERS_MS),
      timeoutMs: COUNTER_MS,
    }),
  now: Date.now,
  print: (line) => process.stdout.write(`${line}\n`),
});

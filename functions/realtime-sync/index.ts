import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { readConfig, readEnvironment } from "../../lib/platform/environment.ts";
import { personalizeDatasets } from "../../lib/recommendation/clients/dataset-writer.ts";
import { dynamoRecords } from "../../lib/recommendation/clients/record-store.ts";
import type { RealtimeSyncSettings } from "../../lib/recommendation/service/settings.ts";
import { CHANGE_QUEUE } from "../../lib/recommendation/sync/change-queue.ts";
import { createPace } from "../../lib/recommendation/sync/sync-records.ts";
import { RealtimeSyncEnv } from "./env.ts";
import { createHandler } from "./handler.ts";

/** Milliseconds of one attempt. It can be long, because nobody waits for this function. */
const CALL_MS = 10_000;

const env = readEnvironment(RealtimeSyncEnv, process.env);
const settings = readConfig<RealtimeSyncSettings>(new URL("config.json", import.meta.url));
const dynamo = new DynamoDBClient({ maxAttempts: 1 });

export const handler = createHandler({
  settings,
  records: dynamoRecords(async () => dynamo, { user: env.USERS_TABLE, item: env.ITEMS_TABLE }, CALL_MS),
  write: personalizeDatasets({ user: env.USERS_DATASET_ARN, item: env.ITEMS_DATASET_ARN }, CALL_MS),
  pace: createPace(CHANGE_QUEUE.callsPerSecond / CHANGE_QUEUE.maximumConcurrency),
  print: (line) => process.stdout.write(`${line}\n`),
});

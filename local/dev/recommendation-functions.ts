import { readFileSync } from "node:fs";
import {
  CreateAliasCommand,
  CreateEventSourceMappingCommand,
  CreateFunctionCommand,
  InvokeCommand,
} from "@aws-sdk/client-lambda";
import type * as v from "valibot";
import type { EtlEnvInput } from "../../functions/etl/env.ts";
import type { PersonalizeManagerEnvInput } from "../../functions/personalize-manager/env.ts";
import type { RealtimeSyncEnv } from "../../functions/realtime-sync/env.ts";
import type { TrainingEnvInput } from "../../functions/training/env.ts";
import type { Configuration, Recommendation } from "../../lib/config/configuration.ts";
import { type FunctionName, LIVE_ALIAS, type Names } from "../../lib/core/naming/names.ts";
import { CHANGE_QUEUE } from "../../lib/recommendation/sync/sync-messages.ts";
import type { Cloud } from "../cloud/front.ts";
import { LocalError } from "../process/error.ts";
import { bundleArchive } from "./bundles.ts";
import type { LocalClients } from "./clients.ts";
import { createRole } from "./role.ts";

/** What the recommendation service is made of on this machine. */
export interface RecommendationParts {
  cloud: Pick<Cloud, "endpoint" | "region" | "accountId">;
  clients: LocalClients;
  names: Names;
  configuration: Configuration;
  recommendation: Recommendation;
  /** Folder of the functions, built with the configuration's settings. */
  outdir: string;
}

interface LocalFunction {
  environment: Readonly<Record<string, string>>;
  timeoutSeconds: number;
}

/** Makes the functions that are not called over HTTP, each with the alias that everything calls it by. */
export async function createFunctions(parts: RecommendationParts): Promise<void> {
  const functions = Object.entries(describeFunctions(parts)) as [FunctionName, LocalFunction][];
  await Promise.all(functions.map(([name, described]) => createFunction(parts, name, described)));
}

/** Lets the queue of changes call realtime-sync, as its event source does in AWS. */
export async function connectQueue({ clients, names }: RecommendationParts, queueArn: string): Promise<void> {
  await clients.lambda.send(
    new CreateEventSourceMappingCommand({
      FunctionName: aliasArn(names, "realtime-sync"),
      EventSourceArn: queueArn,
      BatchSize: CHANGE_QUEUE.batchSize,
      FunctionResponseTypes: ["ReportBatchItemFailures"],
      ScalingConfig: { MaximumConcurrency: CHANGE_QUEUE.maximumConcurrency },
    }),
  );
}

/** ARN of the alias that everything calls a function by. */
export const aliasArn = (names: Names, name: FunctionName) =>
  names.arn("lambda", `function:${names.function(name)}:${LIVE_ALIAS}`);

/** Calls a function and gives its result. Throws LocalError with the function's own words. */
export async function invoke({ clients, names }: RecommendationParts, name: FunctionName, event: object) {
  const { FunctionError, Payload } = await clients.lambda.send(
    new InvokeCommand({
      FunctionName: names.function(name),
      Qualifier: LIVE_ALIAS,
      Payload: Buffer.from(JSON.stringify(event)),
    }),
  );
  const result: unknown = JSON.parse(Payload?.transformToString() || "null");
  if (FunctionError === undefined) return result;
  const { errorMessage = "no message" } = (result ?? {}) as { errorMessage?: string };
  throw new LocalError(`the function ${name} failed: ${errorMessage}`);
}

/** As the stacks deploy them. */
function describeFunctions({ names, cloud, configuration, recommendation }: RecommendationParts) {
  const { personalize } = recommendation;
  const project = configuration.project.project_name;
  const lookback = String(personalize.log_lookback_days);
  return {
    etl: {
      environment: {
        BUCKET: names.bucket(),
        USERS_TABLE: names.table("users"),
        ITEMS_TABLE: names.table("items"),
        POPULAR_ITEMS_TABLE: names.table("popular-items"),
        LOG_LOOKBACK_DAYS: lookback,
        FORCE_REPROCESS_LOOKBACK_DAYS: String(personalize.force_reprocess_lookback_days),
      } satisfies EtlEnvInput,
      timeoutSeconds: 900,
    },
    training: {
      environment: {
        PROJECT_NAME: project,
        ACCOUNT_ID: cloud.accountId,
        BUCKET: names.bucket(),
        TRAINING_TABLE: names.table("training"),
        INGESTION_TABLE: names.table("ingestion"),
        IMPORT_ROLE_ARN: names.roleArn(names.role("personalize")),
        LOG_LOOKBACK_DAYS: lookback,
        // The local Firehose delivers at once, and the local Personalize works in seconds.
        INGESTION_BUFFER_SECONDS: "0",
        LOOK_SECONDS: "1",
      } satisfies TrainingEnvInput,
      timeoutSeconds: 300,
    },
    "personalize-manager": {
      environment: {
        PROJECT_NAME: project,
        ACCOUNT_ID: cloud.accountId,
        TRAINING_TABLE: names.table("training"),
      } satisfies PersonalizeManagerEnvInput,
      timeoutSeconds: 300,
    },
    "realtime-sync": {
      environment: {
        USERS_TABLE: names.table("users"),
        ITEMS_TABLE: names.table("items"),
        USERS_DATASET_ARN: names.datasetArn("user"),
        ITEMS_DATASET_ARN: names.datasetArn("item"),
      } satisfies v.InferInput<typeof RealtimeSyncEnv>,
      timeoutSeconds: CHANGE_QUEUE.functionTimeoutSeconds,
    },
  } satisfies Partial<Record<FunctionName, LocalFunction>>;
}

async function createFunction(
  { cloud, clients, names, outdir }: RecommendationParts,
  name: FunctionName,
  { environment, timeoutSeconds }: LocalFunction,
): Promise<void> {
  const role = names.functionRole(name);
  await createRole(cloud, role);
  const { Version } = await clients.lambda.send(
    new CreateFunctionCommand({
      FunctionName: names.function(name),
      Runtime: "nodejs22.x",
      Handler: "index.handler",
      Role: names.roleArn(role),
      Code: { ZipFile: readFileSync(bundleArchive(outdir, name)) },
      Timeout: timeoutSeconds,
      MemorySize: 1_024,
      Environment: { Variables: { ...environment } },
      Publish: true,
    }),
  );
  await clients.lambda.send(
    new CreateAliasCommand({ FunctionName: names.function(name), Name: LIVE_ALIAS, FunctionVersion: Version ?? "1" }),
  );
}

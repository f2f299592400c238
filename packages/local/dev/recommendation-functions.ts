import { CreateEventSourceMappingCommand, InvokeCommand } from "@aws-sdk/client-lambda";
import { aliasArn, type FunctionValues, recommendationFunctions } from "@relevance/lib/infrastructure/functions.ts";
import { type FunctionName, LIVE_ALIAS, type Names } from "@relevance/lib/platform/naming/names.ts";
import { CHANGE_QUEUE } from "@relevance/lib/recommendation/sync/change-queue.ts";
import type { Configuration, Recommendation } from "@relevance/lib/settings/configuration.ts";
import type { Cloud } from "@relevance/local-aws/cloud/front.ts";
import { LocalError } from "@relevance/processes/error.ts";
import type { TrainingEnvInput } from "../../../functions/training/env.ts";
import { bundleArchive } from "./bundles.ts";
import type { LocalClients } from "./clients.ts";
import { createFunction } from "./resources.ts";

/** The inputs of the local recommendation service. */
export interface RecommendationParts {
  cloud: Pick<Cloud, "endpoint" | "region" | "accountId">;
  clients: LocalClients;
  names: Names;
  configuration: Configuration;
  recommendation: Recommendation;
  /** Folder of the functions, which are built with the configuration's settings. */
  outdir: string;
}

/** Creates the functions that have no HTTP API. */
export async function createFunctions(parts: RecommendationParts): Promise<void> {
  const functions = Object.entries(localFunctions(parts)) as [FunctionName, FunctionValues][];
  await Promise.all(
    functions.map(([name, values]) =>
      createFunction(parts.clients.lambda, parts, name, { ...values, zip: bundleArchive(parts.outdir, name) }),
    ),
  );
}

/** Returns the deployed functions' settings, but training polls every second, as the local services are fast. */
function localFunctions({ names, cloud, configuration, recommendation }: RecommendationParts) {
  const values = recommendationFunctions({
    names,
    project: configuration.project.project_name,
    account: cloud.accountId,
    personalize: recommendation.personalize,
    bufferSeconds: 0,
  });
  const { training } = values;
  const environment = { ...training.environment, POLL_SECONDS: "1" } satisfies TrainingEnvInput;
  return { ...values, training: { ...training, environment } };
}

/** Connects the change queue to realtime-sync, as the event source mapping does in AWS. */
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

/** Invokes a function and returns its result. Throws LocalError with the function's own message. */
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

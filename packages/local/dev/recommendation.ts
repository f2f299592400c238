import { rmSync } from "node:fs";
import { join } from "node:path";
import { ScanCommand } from "@aws-sdk/client-dynamodb";
import { S3Client } from "@aws-sdk/client-s3";
import { recommendationApiEnvironment } from "@relevance/lib/infrastructure/functions.ts";
import type { RecipeKind } from "@relevance/lib/platform/contract/recommendation.ts";
import type { BundleOptions, LoadedBundle } from "@relevance/local-aws/api/load-bundle.ts";
import { preflights } from "@relevance/local-aws/api/service.ts";
import { startApi } from "@relevance/local-aws/api/start.ts";
import type { UsagePlan } from "@relevance/local-aws/api/usage.ts";
import { ACCOUNT_ID, REGION, rootOptions } from "@relevance/local-aws/cloud/account.ts";
import { assumeRole, type SessionKeys } from "@relevance/local-aws/cloud/permissions.ts";
import type { AfterCall } from "@relevance/local-aws/cloud/router.ts";
import type { ObjectReader } from "@relevance/local-personalize/data/csv-import.ts";
import { s3Objects } from "@relevance/local-personalize/data/s3-objects.ts";
import { createPersonalize, type PersonalizeStandIn } from "@relevance/local-personalize/personalize.ts";
import { routes } from "../../../functions/recommendation-api/routes.ts";
import type { LocalKeys } from "./api-key.ts";
import { bundleFile } from "./bundles.ts";
import type { SampleIds } from "./examples.ts";
import { recommendationData } from "./recommendation-data.ts";
import { connectQueue, createFunctions, type RecommendationParts } from "./recommendation-functions.ts";
import { convergePersonalize } from "./recommendation-personalize.ts";
import { createQueues, createStateMachines, putConfiguration, putPlacements } from "./recommendation-resources.ts";
import { openRequestLog } from "./request-log.ts";
import { createStream, createTables } from "./resources.ts";
import type { Scope } from "./scope.ts";

/** The recommendation service that runs on this machine. */
export interface LocalRecommendation {
  url: string;
  /** Recipes that have a campaign. */
  trained: readonly RecipeKind[];
  /** IDs from the stored data. Undefined if there is no data. */
  sample: SampleIds | undefined;
}

/** Options to start the service. */
export interface RecommendationOptions extends RecommendationParts {
  /** Folder for its data. */
  folder: string;
  keys: LocalKeys;
  usage: UsagePlan;
  port?: number;
  scope: Scope;
  say: (line: string) => void;
  loadBundle: (options: Required<BundleOptions>) => Promise<LoadedBundle>;
  /**
   * Called, after the last run's data is restored, with the function that must run after each call to the AWS endpoint.
   */
  onCall: (afterCall: AfterCall) => void;
}

/** Folder below the stack's folder that contains all data of the recommendation service. */
export const RECOMMENDATION_FOLDER = "recommendation";

/**
 * Creates the local Personalize. It reads import files from the local S3 as soon as the endpoint is known, with the
 * role of each job.
 */
export function openPersonalize(
  folder: string,
  endpoint: Promise<string>,
  { clock = Date, region = REGION }: { clock?: { now(): number }; region?: string } = {},
): PersonalizeStandIn {
  return createPersonalize({
    accountId: ACCOUNT_ID,
    region,
    dir: join(folder, "personalize"),
    clock,
    objects: importObjects(endpoint),
  });
}

/** Returns the reader of import files in the local S3, with the role of each job. */
export function importObjects(endpoint: Promise<string>): ObjectReader {
  const asRoot = localObjects(endpoint, async () => ({}));
  const service = "personalize.amazonaws.com";
  return {
    ...asRoot,
    as: ({ roleArn: role, arn: sourceArn }) =>
      localObjects(endpoint, async (url) => ({ credentials: await assumeRole(url, { role, service, sourceArn }) })),
  };
}

/** Returns a reader of the local S3 with these credentials. Waits for the endpoint on first use. */
function localObjects(
  endpoint: Promise<string>,
  keysAt: (url: string) => Promise<{ credentials?: SessionKeys }>,
): ObjectReader {
  const reader = async () => {
    const url = await endpoint;
    const options = { ...rootOptions({ endpoint: url }), ...(await keysAt(url)) };
    return s3Objects(new S3Client({ ...options, forcePathStyle: true }));
  };
  return {
    list: async (bucket, prefix) => (await reader()).list(bucket, prefix),
    read: async (bucket, key) => (await reader()).read(bucket, key),
    write: async (bucket, key, body) => (await reader()).write(bucket, key, body),
  };
}

/** Deletes users, items, events and trained models. */
export function resetRecommendation(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Creates the same resources as the stacks of the recommendation service, with the same names and functions. Then
 * restores the data of the last run and serves the API. Throws LocalError.
 */
export async function startRecommendation(options: RecommendationOptions): Promise<LocalRecommendation> {
  const { clients, names, outdir, scope } = options;
  const data = recommendationData(join(options.folder, "data"), options);
  const restored = createTables(clients.dynamo, names).then(data.restore);
  const [queue] = await Promise.all([
    createQueues(options),
    restored,
    createStream(clients.firehose, options, "events"),
    createFunctions(options),
    createStateMachines(options),
    putConfiguration(options),
    putPlacements(options),
  ]);
  // Log a failed save at shutdown instead of throwing, so that it does not hide the original error.
  const unsaved = ({ message }: Error) =>
    options.say(`the recommendation service's data could not be saved: ${message}`);
  scope.add(() => data.save().catch(unsaved));
  options.onCall(data.keep);

  const env = recommendationApiEnvironment(names, queue.url);
  const requestLog = openRequestLog("recommendation", options);
  const [trained, bundle] = await Promise.all([
    convergePersonalize(options),
    options.loadBundle({
      file: bundleFile(outdir, "recommendation-api"),
      env: { ...env, API_KEYS: options.keys.environment },
      onRequestLog: requestLog.add,
      logKind: "recommendation",
    }),
    connectQueue(options, queue.arn),
    requestLog.opened,
  ]);
  scope.add(bundle.release);
  const api = await startApi({
    services: [
      {
        routes,
        handler: bundle.handler,
        keys: options.keys.values,
        usage: options.usage,
        options: preflights(routes, options.configuration.api.cors),
        origins: options.configuration.api.cors?.allow_origins,
      },
    ],
    ...(options.port !== undefined && { port: options.port }),
  });
  scope.add(() => api.stop());
  return { url: api.url, trained, sample: await sampleIds({ clients, names }) };
}

/** Returns a user and some items from the tables, so that the examples work. */
async function sampleIds({
  clients,
  names,
}: Pick<RecommendationParts, "clients" | "names">): Promise<SampleIds | undefined> {
  const scan = async (table: "users" | "items", Limit: number) => {
    const { Items = [] } = await clients.dynamo.send(new ScanCommand({ TableName: names.table(table), Limit }));
    return Items;
  };
  const [users, items] = await Promise.all([scan("users", 1), scan("items", 3)]);
  const userId = users[0]?.USER_ID?.S;
  const itemIds = items.flatMap(({ ITEM_ID }) => ITEM_ID?.S ?? []);
  if (userId === undefined || itemIds.length === 0) return undefined;
  const category = items[0]?.CATEGORIES?.S?.split("|")[0];
  return { userId, itemIds, category };
}

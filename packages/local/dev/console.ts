import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { DynamoDBClient, ScanCommand } from "@aws-sdk/client-dynamodb";
import { PersonalizeClient } from "@aws-sdk/client-personalize";
import { GetObjectCommand, paginateListObjectsV2, type S3Client } from "@aws-sdk/client-s3";
import type { Served } from "@relevance/lab/server/loopback.ts";
import { openConsole } from "@relevance/lab/server/open.ts";
import type { HistoryEvent } from "@relevance/lab/server/server.ts";
import { consoleIndexes } from "@relevance/lab/server/setup.ts";
import { readInventory } from "@relevance/lib/personalize/resources/inventory.ts";
import { personalizeOf } from "@relevance/lib/personalize/resources/personalize.ts";
import { openDocument } from "@relevance/lib/platform/aws/documents.ts";
import { s3ObjectStore } from "@relevance/lib/platform/aws/s3-object-store.ts";
import { PACKAGE_FOLDER } from "@relevance/lib/platform/folders.ts";
import type { Names } from "@relevance/lib/platform/naming/names.ts";
import { PREFIXES } from "@relevance/lib/platform/naming/object-keys.ts";
import { concurrently } from "@relevance/lib/platform/resilience/concurrently.ts";
import { dynamoTrainingState } from "@relevance/lib/recommendation/training/state.ts";
import type { Configuration } from "@relevance/lib/settings/configuration.ts";
import type { HybridQuery } from "@relevance/lib/settings/hybrid-search.ts";
import { rootOptions } from "@relevance/local-aws/cloud/account.ts";
import type { Cloud } from "@relevance/local-aws/cloud/front.ts";
import { localClients } from "./clients.ts";
import type { LocalModel } from "./models.ts";
import type { DevOptions } from "./options.ts";
import type { LocalRecommendation } from "./recommendation.ts";

/**
 * A search that only the hybrid search answers: keywords find other books of this author, vectors find the subject by
 * other authors, and both together find the author's books on the subject.
 */
const EXAMPLE = "Antarctica by Fiona Kessler";

interface DevConsoleOptions {
  options: DevOptions;
  names: Names;
  configuration: Configuration;
  /** The entries that the gateway uses now. */
  entries: () => readonly HybridQuery[];
  cloud: Cloud;
  models: readonly LocalModel[];
  gateway: { url: string; key: string };
  recommendation: (LocalRecommendation & { key: string }) | undefined;
  port?: number;
}

/**
 * Serves the console of the local stack. Reads the user's history and the training status, which are only in AWS
 * otherwise.
 */
export function startDevConsole(dev: DevConsoleOptions): Promise<Served> {
  const { options, names, configuration, entries, cloud, models, gateway, recommendation, port } = dev;
  return openConsole({
    sources: join(PACKAGE_FOLDER, "packages/lab/console"),
    files: join(options.dir, "console"),
    conf: options.conf,
    log: async () => ({
      name: names.bucket(),
      objects: s3ObjectStore(localClients(cloud).s3, names.bucket()),
      explained: (work) => work,
    }),
    gateway: { name: "search gateway", ...gateway },
    ...(recommendation && {
      recommendation: { name: "recommendation service", url: recommendation.url, key: recommendation.key },
      history: (user: string) => readHistory(localClients(cloud).s3, names, user),
      users: () => readUsers(cloud, names),
      status: () => readStatus(cloud, names),
    }),
    setup: {
      get indexes() {
        return consoleIndexes(entries());
      },
      filters: (configuration.recommendation?.filters ?? []).map(({ name, expression }) => ({ name, expression })),
      standIns: models.flatMap(({ name, by }) => {
        if (by === "words") return { model: name, by: "words alone, no meaning" };
        return "small" in by ? { model: name, by: `${by.small}, a small English model` } : [];
      }),
      local: true,
      example: options.demo ? { query: EXAMPLE, user: recommendation?.sample?.userId ?? null } : null,
    },
    defaultsFile: join(options.conf, "hybrid_search.yaml"),
    account: { open: async (kind) => openDocument(kind, { sdk: rootOptions(cloud), bucket: names.bucket() }) },
    ...(port !== undefined && { port }),
  });
}

/** Returns the running services and the trained recipes. */
async function readStatus(cloud: Cloud, names: Names) {
  const sdk = { ...rootOptions(cloud), maxAttempts: 1 };
  const state = dynamoTrainingState(new DynamoDBClient(sdk), names.table("training"));
  const [inventory, training] = await Promise.all([
    readInventory(personalizeOf(new PersonalizeClient(sdk)), names, { metrics: true }),
    state.lock(),
  ]);
  return { ...inventory, training: training ?? null };
}

/** Number of users that the page offers. */
const OFFERED = 8;

async function readUsers(cloud: Cloud, names: Names): Promise<string[]> {
  const scan = new ScanCommand({ TableName: names.table("users"), Limit: OFFERED });
  const { Items = [] } = await localClients(cloud).dynamo.send(scan);
  return Items.flatMap(({ USER_ID }) => USER_ID?.S ?? []).sort();
}

const PARALLEL = 8;

/** Returns a user's distinct newest events, from the received events in the local bucket. */
async function readHistory(s3: S3Client, names: Names, user: string, limit = 50): Promise<HistoryEvent[]> {
  const Bucket = names.bucket();
  const keys: string[] = [];
  for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket, Prefix: PREFIXES.events })) {
    keys.push(...Contents.flatMap(({ Key }) => Key ?? []));
  }
  const read = await concurrently(keys, PARALLEL, async (Key) => {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
    return eventsIn(Buffer.from((await Body?.transformToByteArray()) ?? []), user);
  });
  // A client may have sent an event twice.
  const byId = new Map(read.flat().map(({ id, ...event }) => [id, event]));
  return [...byId.values()].sort((a, b) => b.when.localeCompare(a.when)).slice(0, limit);
}

function eventsIn(bytes: Buffer, user: string): Array<HistoryEvent & { id: string }> {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const lines = (isGzip ? gunzipSync(bytes) : bytes).toString("utf8").split("\n");
  return lines.flatMap((line) => {
    if (!line.includes(user)) return [];
    const event = JSON.parse(line) as Record<string, string | number | undefined>;
    if (event.USER_ID !== user) return [];
    const when = new Date(Number(event.TIMESTAMP) * 1000).toISOString();
    return [{ id: String(event.EVENT_ID), item: String(event.ITEM_ID), type: String(event.EVENT_TYPE), when }];
  });
}

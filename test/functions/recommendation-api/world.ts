import { join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { FirehoseClient } from "@aws-sdk/client-firehose";
import { PersonalizeClient } from "@aws-sdk/client-personalize";
import { PersonalizeEventsClient } from "@aws-sdk/client-personalize-events";
import { PersonalizeRuntimeClient } from "@aws-sdk/client-personalize-runtime";
import { S3Client } from "@aws-sdk/client-s3";
import { CreateQueueCommand, SQSClient } from "@aws-sdk/client-sqs";
import { DeleteParameterCommand, PutParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import type { InferInput } from "valibot";
import { buildFunctions } from "../../../build/functions.ts";
import { routes } from "../../../functions/recommendation-api/routes.ts";
import { recommendationApiEnvironment } from "../../../lib/infrastructure/functions.ts";
import { s3DocumentBucket, versionedDocument } from "../../../lib/platform/aws/versioned-documents.ts";
import { namesOf } from "../../../lib/platform/naming/names.ts";
import { PLACEMENTS } from "../../../lib/recommendation/placements/document.ts";
import type { RecommendationSettings } from "../../../lib/recommendation/service/settings.ts";
import type { PlacementsSchema } from "../../../lib/settings/placements.ts";
import { createBucket } from "../../../packages/local/dev/clients.ts";
import { createDeployedRoles, variablesOfRole } from "../../../packages/local/dev/deployed-roles.ts";
import { createStream, createTables } from "../../../packages/local/dev/resources.ts";
import { loadBundle } from "../../../packages/local-aws/api/load-bundle.ts";
import { startApi } from "../../../packages/local-aws/api/start.ts";
import type { StandIn } from "../../../packages/local-aws/cloud/stand-in.ts";
import { unique } from "../../../packages/local-aws/test/cloud/functions.ts";
import { createPersonalize } from "../../../packages/local-personalize/personalize.ts";
import { type Harness, memoryObjects } from "../../../packages/local-personalize/test/harness.ts";
import { scratchFolder } from "../../../packages/processes/scratch.ts";
import { clientOptions, sharedCloud } from "../../fixtures/cloud.ts";
import { recommendation } from "../../fixtures/configurations/configurations.ts";
import { TEST_OUTPUT } from "../../fixtures/env.ts";
import { startAwsFront } from "./aws-front.ts";
import { SHOP_DEFINITIONS } from "./definitions.ts";

export const API_KEY = "test-key-0123456789abcdef";

const FILTERS = {
  category: "INCLUDE ItemID WHERE Items.CATEGORIES IN ($CATEGORY)",
  cheap: "INCLUDE ItemID WHERE Items.PRICE <= $MAX",
  unseen: 'EXCLUDE ItemID WHERE Interactions.EVENT_TYPE IN ("click", "purchase")',
  without: "EXCLUDE ItemID WHERE Items.CATEGORIES IN ($CATEGORY)",
  member: 'INCLUDE ItemID WHERE Items.CATEGORIES IN ("Comedy") IF CurrentUser.MEMBERSHIP = "gold"',
} as const;

/** Names of the world's filters. */
export type FilterName = keyof typeof FILTERS;

/** Expression of one of the world's filters. */
export const expressionOf = (name: FilterName) => FILTERS[name];

/** An answer of the service. Fields that it does not have are undefined at run time. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: {
    request: Record<string, unknown> & { count: number };
    response: {
      items: Record<string, string>[];
      recommendation_id: string | null;
      accepted: number;
      rejected: { index: number; id: string | null; retryable: boolean; issues: Issue[] }[];
    };
    degraded: { stage: string; target: string; reason: string; effect: string }[] | undefined;
    error: { code: string; message: string; issues: Issue[]; request_id: string };
  };
}

interface Issue {
  path: string;
  message: string;
}

export interface WorldOptions {
  /** The kinds that the built-in engine answers. */
  builtIn?: RecommendationSettings["built_in"];
  timeouts?: Partial<RecommendationSettings["timeouts"]>;
  settings?: Partial<RecommendationSettings>;
  /** Other stand-ins for AWS services on the same endpoint. */
  standIns?: readonly StandIn[];
  /** Whether the API calls as the account's root user, for whom no policy is evaluated. For benchmarks. Default: false. */
  asRoot?: boolean;
}

/**
 * The built recommendation API behind the local API server, on the local AWS endpoint with a local Personalize and
 * faults in between. Sets this process's AWS endpoint, so a test file may start only one.
 */
export async function startWorld(options: WorldOptions = {}) {
  const cloud = await sharedCloud();
  const project = unique("r").slice(0, 12).replace(/-$/, "");
  const place = { project, account: cloud.accountId, region: cloud.region };
  const names = namesOf(place);
  const files = new Map<string, string>();
  const standIn = createPersonalize({
    accountId: cloud.accountId,
    region: cloud.region,
    objects: memoryObjects(files),
  });
  const front = await startAwsFront(cloud.endpoint, [standIn, ...(options.standIns ?? [])]);
  Object.assign(process.env, cloud.env, { AWS_ENDPOINT_URL: front.url });

  // These clients bypass the front, so that faults do not affect what tests prepare and look up.
  const direct = clientOptions(cloud);
  const dynamo = DynamoDBDocumentClient.from(new DynamoDBClient(direct), {
    marshallOptions: { removeUndefinedValues: true },
  });
  const s3 = new S3Client({ ...direct, forcePathStyle: true });
  const ssm = new SSMClient(direct);
  // Tests poll queues and must not hang when an answer never arrives.
  const requestHandler = { requestTimeout: 20_000, throwOnRequestTimeout: true };
  const sqs = new SQSClient({ ...direct, requestHandler, useQueueUrlAsEndpoint: false });
  const toPersonalize = clientOptions({ endpoint: front.url, region: cloud.region });
  const harness: Harness = {
    personalize: new PersonalizeClient(toPersonalize),
    runtime: new PersonalizeRuntimeClient(toPersonalize),
    events: new PersonalizeEventsClient(toPersonalize),
    standIn,
    files,
    endpoint: front.url,
    settle: () => standIn.control.advance(60_000),
    stop: () => undefined,
  };

  const bucket = names.bucket();
  await createDeployedRoles(cloud, recommendation([["project.yaml", ["project_name"], project]]));
  await createTables(dynamo, names);
  await createBucket(s3, bucket, cloud.region);
  await createStream(new FirehoseClient(direct), { cloud, names }, "events");
  const { QueueUrl = "" } = await sqs.send(new CreateQueueCommand({ QueueName: names.queue("realtime") }));
  // SQS clients call the host of the queue's URL.
  const queueUrl = `${front.url}${new URL(QueueUrl).pathname}`;

  const settings: RecommendationSettings = {
    project,
    campaigns: {
      user_personalization: names.campaignParameter("user_personalization"),
      similar_items: names.campaignParameter("similar_items"),
      personalized_ranking: names.campaignParameter("personalized_ranking"),
    },
    built_in: options.builtIn ?? [],
    learned_events: {},
    logging: { user_id: "plain", query_text: true },
    rare_items_by_text: true,
    event_tracker: names.eventTrackerParameter(),
    filters: Object.entries(FILTERS).map(([name, expression]) => ({
      name,
      expression,
      resource: names.filter(name, expression),
      parameter: names.filterParameter(name),
    })),
    event_types: { named: [], others: true, most: 8 },
    definitions: SHOP_DEFINITIONS,
    // Long enough for a busy machine; a test about timeouts brings its own.
    timeouts: { campaign_ms: 20_000, store_ms: 20_000, realtime_ms: 20_000, ...options.timeouts },
    // No cache, because tests change the tables directly and make them fail.
    item_cache_ms: 0,
    ...options.settings,
  };
  const env = {
    ...(!options.asRoot && (await variablesOfRole(cloud, names, "recommendation-api"))),
    ...recommendationApiEnvironment(names, queueUrl),
  };
  const built = await buildFunctions({
    outdir: join(scratchFolder(TEST_OUTPUT, "recommendation"), "functions"),
    functions: ["recommendation-api"],
    files: { "recommendation-api": { "config.json": JSON.stringify(settings) } },
  });
  const file = join(built["recommendation-api"]?.dir ?? "", "index.mjs");
  let bundle = await loadBundle({ file, env });
  const api = await startApi({
    services: [{ routes, keys: [API_KEY], handler: (event, context) => bundle.handler(event, context) }],
  });

  const send = async (method: string, path: string, init: RequestInit = {}): Promise<Answer> => {
    const headers = { "x-api-key": API_KEY, ...(init.headers as Record<string, string> | undefined) };
    const response = await fetch(`${api.url}${path}`, { ...init, method, headers });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: JSON.parse(text || "{}") };
  };

  return {
    cloud,
    direct,
    names,
    project,
    settings,
    front,
    standIn,
    harness,
    dynamo,
    s3,
    sqs,
    bucket,
    queueUrl,
    url: api.url,
    /** The built function and its environment, for tests that serve it elsewhere. */
    bundle: { file, env },
    send,
    post: (path: string, body: unknown) =>
      send("POST", path, {
        body: typeof body === "string" ? body : JSON.stringify(body),
        headers: { "content-type": "application/json" },
      }),

    /** Starts a new instance of the function, with nothing cached. */
    async restart() {
      bundle.release();
      bundle = await loadBundle({ file, env });
    },

    async putParameter(Name: string, Value: string) {
      await ssm.send(new PutParameterCommand({ Name, Value, Type: "String", Overwrite: true }));
    },

    async removeParameter(Name: string) {
      await ssm.send(new DeleteParameterCommand({ Name })).catch((error: Error) => {
        if (error.name !== "ParameterNotFound") throw error;
      });
    },

    /** Writes what the last ETL would have written. */
    async putPopularItems(ITEMS: readonly string[]) {
      const Item = { LIST: "all", RUN: "run", ITEMS };
      await dynamo.send(new PutCommand({ TableName: names.table("popular-items"), Item }));
    },

    /** Writes the first version of the placements. */
    async putPlacements({ placements }: InferInput<typeof PlacementsSchema>) {
      const document = versionedDocument(s3DocumentBucket(s3, bucket), PLACEMENTS);
      await document.write(0, { by: "test", at: new Date(), content: { placements } });
    },

    /** Writes the event types that the last ETL would have imported. */
    async putEventTypes(TYPES: readonly string[]) {
      const Item = { LIST: "event-types", RUN: "run", TYPES };
      await dynamo.send(new PutCommand({ TableName: names.table("popular-items"), Item }));
    },

    async stop() {
      bundle.release();
      await api.stop();
      await front.close();
    },
  };
}

export type World = Awaited<ReturnType<typeof startWorld>>;

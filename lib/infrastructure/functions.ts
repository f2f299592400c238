import { type FunctionName, LIVE_ALIAS, type Names, type StreamName } from "../platform/naming/names.ts";
import type { RequestLogKind } from "../platform/request-log/kinds.ts";
import { CHANGE_QUEUE } from "../recommendation/sync/change-queue.ts";

/** Lambda's longest timeout. State machines wait a little longer, so that they receive the function's own error. */
const LONGEST_SECONDS = 900;

/** Returns the ARN of the alias `live`, through which every caller invokes a function. */
export function aliasArn(names: Names, name: FunctionName): string {
  return names.arn("lambda", `function:${names.function(name)}:${LIVE_ALIAS}`);
}

/** The settings with which a function is deployed. */
export interface FunctionValues {
  memoryMb: number;
  /** Disk of the function at /tmp. Default: 512. */
  diskMb?: number;
  timeoutSeconds: number;
  environment: Readonly<Record<string, string>>;
}

/**
 * The queue of request log lines that log-handler could not deliver, mostly because Firehose throttled it. Two at a time
 * come back (the least that Lambda allows), so that what is late does not displace what is new.
 */
export const FAILED_LOG_QUEUE = {
  maximumConcurrency: 2,
  /** Events are up to a megabyte: one at a time, so that a failure brings back only itself. */
  batchSize: 1,
  /** Six times the function's timeout, as Lambda recommends for event sources. */
  visibilityTimeoutSeconds: 360,
  /** The longest that SQS keeps messages. */
  retentionDays: 14,
} as const;

/** The path of each request log: the function that writes lines, the one that forwards them, stream and queue. */
export const REQUEST_LOGS = {
  search: { source: "api-router", handler: "log-handler", stream: "search-logs", failed: "request-log-failed" },
  recommendation: {
    source: "recommendation-api",
    handler: "recommendation-log-handler",
    stream: "recommendation-logs",
    failed: "recommendation-log-failed",
  },
} as const satisfies Record<
  RequestLogKind,
  { source: FunctionName; handler: FunctionName; stream: StreamName; failed: string }
>;

/** Returns the settings of the function that forwards request log lines to Firehose. */
export function logHandler(names: Names, project: string, kind: RequestLogKind) {
  return {
    memoryMb: 256,
    timeoutSeconds: 60,
    environment: { PROJECT_NAME: project, FIREHOSE_STREAM: names.stream(REQUEST_LOGS[kind].stream) },
  };
}

/** Returns the settings of search-events, which stores what users do with search results. */
export function searchEvents(names: Names) {
  return {
    // CPU grows with memory, and a page waits for the answer.
    memoryMb: 512,
    timeoutSeconds: 28,
    environment: { EVENTS_STREAM: names.stream("search-events") },
  };
}

/** Returns the settings of suggestions, which builds what is suggested as somebody types. */
export function suggestions(names: Names) {
  return {
    // One vCPU: the engine's thread for statements is the only one that computes.
    memoryMb: 1_769,
    // Some objects of the request log, and what the engine writes to the disk.
    diskMb: 4_096,
    timeoutSeconds: LONGEST_SECONDS,
    // The rest is for Node and the buffers of transfers.
    environment: { BUCKET: names.bucket(), ENGINE_MEMORY_MB: "600" },
  };
}

interface ProjectValues {
  names: Names;
  /** project_name. */
  project: string;
  account: string;
}

/** Returns the settings of personalize-manager, through which Terraform manages Personalize. */
export function personalizeManager({ names, project, account }: ProjectValues) {
  return {
    memoryMb: 512,
    // It waits 280 s for Personalize, then reports what is in progress.
    timeoutSeconds: 300,
    environment: { PROJECT_NAME: project, ACCOUNT_ID: account, TRAINING_TABLE: names.table("training") },
  };
}

/** The values that the settings of the recommendation service's functions depend on. */
export interface RecommendationValues extends ProjectValues {
  /** From project.yaml. */
  personalize: { log_lookback_days: number; force_reprocess_lookback_days: number };
  /** Buffer interval of the Firehose stream of events. */
  bufferSeconds: number;
}

/**
 * Returns memory, timeout and environment of the recommendation service's functions that are not called over HTTP. Each
 * environment is the input of the schema in the function's env.ts.
 */
export function recommendationFunctions(values: RecommendationValues) {
  const { names, project, account, personalize, bufferSeconds } = values;
  const lookback = String(personalize.log_lookback_days);
  return {
    etl: {
      // 1,769 MB give one vCPU. The engine's thread for statements is the only one that computes.
      memoryMb: 1_769,
      // A group of objects, unpacked, or a shard with its file, and what the engine writes to the disk.
      diskMb: 10_240,
      timeoutSeconds: LONGEST_SECONDS,
      environment: {
        BUCKET: names.bucket(),
        ...tables(names),
        LOG_LOOKBACK_DAYS: lookback,
        FORCE_REPROCESS_LOOKBACK_DAYS: String(personalize.force_reprocess_lookback_days),
        // The rest is for Node and the buffers of transfers.
        ENGINE_MEMORY_MB: "600",
      },
    },
    training: {
      memoryMb: 512,
      timeoutSeconds: LONGEST_SECONDS,
      environment: {
        PROJECT_NAME: project,
        ACCOUNT_ID: account,
        BUCKET: names.bucket(),
        TRAINING_TABLE: names.table("training"),
        INGESTION_TABLE: names.table("ingestion"),
        IMPORT_ROLE_ARN: names.roleArn(names.role("personalize")),
        LOG_LOOKBACK_DAYS: lookback,
        INGESTION_BUFFER_SECONDS: String(bufferSeconds),
      },
    },
    "personalize-manager": personalizeManager(values),
    "realtime-sync": {
      memoryMb: 512,
      timeoutSeconds: CHANGE_QUEUE.functionTimeoutSeconds,
      environment: {
        USERS_TABLE: names.table("users"),
        ITEMS_TABLE: names.table("items"),
        USERS_DATASET_ARN: names.datasetArn("user"),
        ITEMS_DATASET_ARN: names.datasetArn("item"),
      },
    },
  };
}

/** Returns the environment of recommendation-api. */
export function recommendationApiEnvironment(names: Names, queueUrl: string) {
  return {
    ...tables(names),
    INGESTION_TABLE: names.table("ingestion"),
    EVENTS_STREAM: names.stream("events"),
    REALTIME_QUEUE_URL: queueUrl,
    BUCKET: names.bucket(),
  };
}

function tables(names: Names) {
  return {
    USERS_TABLE: names.table("users"),
    ITEMS_TABLE: names.table("items"),
    POPULAR_ITEMS_TABLE: names.table("popular-items"),
    BUILT_IN_TABLE: names.table("built-in"),
  };
}

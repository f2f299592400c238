import { join, resolve } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { PersonalizeClient } from "@aws-sdk/client-personalize";
import type { Configuration } from "../../lib/config/configuration.ts";
import type { Names } from "../../lib/core/naming/names.ts";
import { readInventory } from "../../lib/personalize/resources/inventory.ts";
import { personalizeOf } from "../../lib/personalize/resources/personalize.ts";
import { dynamoTrainingState } from "../../lib/recommendation/training/state.ts";
import type { Served } from "../../lib/relevance/console/loopback.ts";
import { openConsole } from "../../lib/relevance/console/open.ts";
import { consoleIndexes } from "../../lib/relevance/console/setup.ts";
import { type Cloud, rootOptions } from "../cloud/front.ts";
import { localClients } from "./clients.ts";
import { readHistory } from "./console-history.ts";
import type { DevOptions } from "./options.ts";
import type { LocalRecommendation } from "./recommendation.ts";

const ROOT = resolve(import.meta.dirname, "../..");

/** A text on which the demo's keyword and dense searches disagree. */
const EXAMPLE = "letters from a sunken ship";

export interface DevConsoleOptions {
  options: DevOptions;
  names: Names;
  configuration: Configuration;
  cloud: Cloud;
  gateway: { url: string; key: string };
  recommendation: (LocalRecommendation & { key: string }) | undefined;
  port?: number;
}

/** Serves the console of the local stack. It reads here what only AWS knows elsewhere: the history, the training. */
export function startDevConsole(dev: DevConsoleOptions): Promise<Served> {
  const { options, names, configuration, cloud, gateway, recommendation, port } = dev;
  const hybridQueries = configuration.searchGateway?.hybridQueries ?? [];
  const used = hybridQueries.flatMap((entry) => entry.embedding_mappings.map(({ model_name }) => model_name));
  return openConsole({
    sources: join(ROOT, "console"),
    files: join(options.dir, "console"),
    conf: options.conf,
    command: [process.execPath, join(ROOT, "cli/main.ts")],
    env: process.env,
    gateway: { name: "search gateway", ...gateway },
    ...(recommendation && {
      recommendation: { name: "recommendation service", url: recommendation.url, key: recommendation.key },
      history: (user: string) => readHistory(localClients(cloud).s3, names, user),
      status: () => readStatus(cloud, names),
    }),
    setup: {
      indexes: consoleIndexes(hybridQueries),
      filters: (configuration.recommendation?.filters ?? []).map(({ name, expression }) => ({ name, expression })),
      standIns: [...new Set(used)].filter((name) => options.embeddingUrls[name] === undefined),
      local: true,
      example: options.demo ? { query: EXAMPLE, user: recommendation?.sample?.userId ?? null } : null,
    },
    defaultsFile: join(options.conf, "hybrid_search.yaml"),
    ...(port !== undefined && { port }),
  });
}

/** Returns what runs and what was trained. */
async function readStatus(cloud: Cloud, names: Names) {
  const sdk = { ...rootOptions(cloud), maxAttempts: 1 };
  const state = dynamoTrainingState(new DynamoDBClient(sdk), names.table("training"));
  const [inventory, training] = await Promise.all([
    readInventory(personalizeOf(new PersonalizeClient(sdk)), names, { metrics: true }),
    state.lock(),
  ]);
  return { ...inventory, training: training ?? null };
}

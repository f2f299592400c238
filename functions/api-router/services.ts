import { secretReader } from "../../lib/platform/aws/secret-reader.ts";
import type { AwsVariables } from "../../lib/platform/aws/signed-call.ts";
import { createAccess } from "../../lib/platform/http/access.ts";
import { tokenChecks } from "../../lib/platform/http/open-tokens.ts";
import { userIdKey } from "../../lib/platform/request-log/user-ids.ts";
import { deadlineIn } from "../../lib/platform/resilience/deadline.ts";
import { once } from "../../lib/platform/resilience/once.ts";
import type { GatewayServices } from "../../lib/search/gateway/services.ts";
import type { GatewaySettings } from "../../lib/search/gateway/settings.ts";
import { createCapabilities } from "../../lib/search/opensearch/capabilities.ts";
import { createCluster } from "../../lib/search/opensearch/client.ts";
import { clusterAuth } from "../../lib/search/opensearch/cluster-env.ts";
import { createIndexCatalog } from "../../lib/search/opensearch/index-catalog.ts";
import type { ApiRouterEnv } from "./env.ts";

/** Milliseconds for reading synonyms and rules in advance. */
const LOAD_MS = 5_000;

/** Parts of the running function that services use. */
export interface StartContext {
  /** Folder of the bundle, with the model files of the sparse model. */
  folder: string;
  variables: () => AwsVariables;
  print: (line: string) => void;
}

export interface OpenServices extends GatewayServices {
  /** Loads in advance what the first requests need. */
  load(): Promise<void>;
}

/** Returns the services over real clients, each of which is opened on first use. */
export async function createServices(
  env: ApiRouterEnv,
  settings: GatewaySettings,
  { folder, variables, print }: StartContext,
): Promise<OpenServices> {
  const cluster = createCluster({ node: env.OPENSEARCH_NODE, auth: await clusterAuth(env, variables) });
  const models = once(async () => {
    const { openEmbedders } = await import("./embedders.ts");
    return openEmbedders(settings, folder, print);
  });
  const rerankers = once(async () => {
    const { openRerankers } = await import("./rerankers.ts");
    return openRerankers(settings, print);
  });
  const ranker = once(async () => {
    const { campaignRanker } = await import("../../lib/personalize/runtime/ranker.ts");
    const ranking = settings.personalized_ranking;
    return ranking && campaignRanker({ campaignArn: ranking.campaign_arn, filterArn: ranking.filter_arn });
  });
  const synonyms = once(async () => {
    const { openSynonyms } = await import("./synonyms.ts");
    return openSynonyms(env.BUCKET ?? "", variables);
  });
  const openRules = once(async () => {
    const { ruleReader } = await import("./rules.ts");
    return ruleReader(env.BUCKET ?? "", variables);
  });
  const rules: GatewayServices["rules"] = settings.has_rules
    ? async (set, deadline) => (await openRules())(set, deadline)
    : undefined;
  return {
    settings,
    api: {
      log: print,
      cors: settings.cors,
      project: settings.project,
      access: createAccess(settings, env.API_KEYS, tokenChecks(secretReader(variables))),
    },
    cluster,
    catalog: createIndexCatalog(cluster),
    capabilities: createCapabilities(cluster),
    embedder: async (model) => {
      const embedder = (await models()).embedders.get(model);
      if (!embedder) throw new Error(`config.json has no model ${model}`);
      return embedder;
    },
    reranker: async (model) => {
      const reranker = (await rerankers()).rerankers.get(model);
      if (!reranker) throw new Error(`config.json has no reranker ${model}`);
      return reranker;
    },
    ranker,
    ...(rules && { rules }),
    synonyms: async (waitMs) => (await synonyms())(waitMs),
    userIdKey: userIdKey(settings.logging, secretReader(variables), print),
    logRequest: print,
    async load() {
      if (settings.models.length > 0) await (await models()).load();
      await (await rerankers()).load();
      await ranker();
      const hasSynonyms = settings.indexes.some((entry) => entry.synonyms);
      // Searches go without them, and say so, if they cannot be read.
      if (hasSynonyms) await (await synonyms())(LOAD_MS).catch(() => undefined);
      await rules?.("current", deadlineIn(LOAD_MS)).catch(() => undefined);
    },
  };
}

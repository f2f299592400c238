import { bulkFamily } from "../../../../functions/api-router/bulk.ts";
import { OPEN } from "../../../../lib/platform/http/access.ts";
import type { Deadline } from "../../../../lib/platform/resilience/deadline.ts";
import { type Operation, operationsOf, outlineOf } from "../../../../lib/search/bulk/operations.ts";
import type { BulkRequest, Conditions } from "../../../../lib/search/bulk/request.ts";
import { type Embedder, EmbeddingError, type EmbeddingOutcome } from "../../../../lib/search/embeddings/embedder.ts";
import type { GatewayServices } from "../../../../lib/search/gateway/services.ts";
import type { GatewaySettings, IndexSettings } from "../../../../lib/search/gateway/settings.ts";
import { noAuth } from "../../../../lib/search/opensearch/auth.ts";
import { createCapabilities } from "../../../../lib/search/opensearch/capabilities.ts";
import { createCluster } from "../../../../lib/search/opensearch/client.ts";
import { createIndexCatalog } from "../../../../lib/search/opensearch/index-catalog.ts";
import { MODELS, type ModelName } from "../../../../lib/settings/embedding-models.ts";
import { call } from "../../platform/http/calls.ts";

const SETTINGS: GatewaySettings = {
  project: "test",
  max_bulk_bytes: 8 * 1024 * 1024,
  templates: [],
  experiments: [],
  indexes: [],
  models: [
    {
      name: "dense_large_en_v1_5",
      endpoint_name: "dense",
      revision: "1",
      concurrency: 4,
      dimension: 1024,
      query_prefix: "",
      passage_prefix: "",
    },
    { name: "sparse_v3", endpoint_name: "sparse", revision: "1", concurrency: 4, prune_ratio: 0.1 },
  ],
  raw_backend_deny: [],
  logging: { user_id: "plain", query_text: true },
};

/** The settings of an index with a dense and a sparse field from `title` and `body`. */
export function mappedIndex(index: string, overrides: Partial<IndexSettings> = {}): IndexSettings {
  return {
    index,
    embedding_mappings: [
      { embedding_field: "dense", model_name: "dense_large_en_v1_5", src_fields: ["title", "body"] },
      { embedding_field: "sparse", model_name: "sparse_v3", src_fields: ["title", "body"] },
    ],
    on_embedding_failure: { write: "fail", query: "degrade" },
    candidates: 100,
    settings: { normalization: "min_max", combination: "arithmetic_mean" },
    ...overrides,
  };
}

/** The mapping in the cluster of an index that {@link mappedIndex} describes. */
export const MAPPED_INDEX = {
  settings: { index: { knn: true, number_of_shards: 1, number_of_replicas: 0 } },
  mappings: {
    properties: {
      title: { type: "text" },
      body: { type: "text" },
      dense: {
        type: "knn_vector",
        dimension: 1024,
        method: { engine: "lucene", name: "hnsw", parameters: {}, space_type: "cosinesimil" },
      },
      sparse: { type: "rank_features" },
    },
  },
} as const;

/** Returns the bytes and the operations of a request with these operations. */
export function requestOf(bulk_request: BulkRequest["bulk_request"]): { bytes: Buffer; operations: Operation[] } {
  const bytes = Buffer.from(JSON.stringify({ index: "i", bulk_request }));
  return { bytes, operations: operationsOf(bulk_request, outlineOf(bytes)?.places ?? []) };
}

/** An embedder that records its calls and whose vectors tell which text they came from. */
export interface TestEmbedder extends Embedder {
  /** The texts of each call. */
  calls: string[][];
  /** Texts for which this returns an error fail. */
  failing: (text: string) => EmbeddingError | undefined;
}

/** The vector that {@link testEmbedder} returns for a text. */
export function vectorOf(text: string): number[] {
  let hash = 7;
  for (const character of text) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 9973;
  return Array.from({ length: 1024 }, (_, i) => ((hash * (i + 3)) % 997) / 1000 + 0.001);
}

/** The tokens that {@link testEmbedder} returns for a text: its words. */
export function tokensOf(text: string): Record<string, number> {
  return Object.fromEntries(text.split(/\s+/).map((word) => [word.toLowerCase(), 1.5]));
}

export function testEmbedder(model: ModelName): TestEmbedder {
  const outcome = (text: string): EmbeddingOutcome =>
    MODELS[model].kind === "dense"
      ? { kind: "dense", json: Buffer.from(JSON.stringify(vectorOf(text))) }
      : { kind: "sparse", json: JSON.stringify(tokensOf(text)) };
  const embedder: TestEmbedder = {
    model,
    calls: [],
    failing: () => undefined,
    async embedDocuments(texts: readonly string[], _deadline: Deadline, options) {
      const late = new EmbeddingError("no time was left to start a model call", { retryable: true });
      if (options?.startBefore && options.startBefore.remaining() <= 0) {
        return texts.map((): EmbeddingOutcome => ({ kind: "error", error: late }));
      }
      embedder.calls.push([...texts]);
      return texts.map((text): EmbeddingOutcome => {
        const error = embedder.failing(text);
        return error ? { kind: "error", error } : outcome(text);
      });
    },
    async embedQuery(): Promise<never> {
      throw new Error("bulk embeds no queries");
    },
  };
  return embedder;
}

export interface BulkItem {
  _index: string;
  _id: string;
  _version: number;
  _seq_no: number;
  _primary_term: number;
  _shards: { total: number; successful: number; failed: number };
  result: string;
  status: number;
  error: { type: string; reason: string; retryable: boolean };
}

/** An answer as tests read it. Fields that it does not have are undefined at run time. */
export interface BulkAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
  body: {
    index: string;
    bulk_request: Array<{ id: string; op: string; doc: unknown }>;
    index_response: { took: number; errors: boolean; items: Array<Record<string, BulkItem>> };
    degraded: Array<{ stage: string; target: string; reason: string; effect: string }>;
    error: {
      code: string;
      message: string;
      issues: Array<{ path: string; message: string }>;
      cause: Record<string, unknown>;
    };
  };
  /** The items without the names of their operations. */
  items: BulkItem[];
}

type Option = keyof typeof Conditions.entries;

export interface BulkGateway {
  dense: TestEmbedder;
  sparse: TestEmbedder;
  /** Sends a body, given as an object or as text. */
  send(body: unknown, options?: { remainingMs?: number; headers?: Record<string, string> }): Promise<BulkAnswer>;
  /** Sends operations on one index. */
  bulk(
    index: string,
    operations: ReadonlyArray<{ id: string; op: string; doc?: unknown } & Partial<Record<Option, unknown>>>,
    options?: { remainingMs?: number },
  ): Promise<BulkAnswer>;
}

/** The bulk endpoint over a real cluster client, with the test's embedders. */
export function bulkGateway(
  node: string,
  settings: Partial<GatewaySettings> = {},
  now: () => number = () => performance.now(),
): BulkGateway {
  const dense = testEmbedder("dense_large_en_v1_5");
  const sparse = testEmbedder("sparse_v3");
  const cluster = createCluster({ node, auth: noAuth });
  const services: GatewayServices = {
    settings: { ...SETTINGS, ...settings },
    api: { log: () => {}, project: "shop", access: OPEN },
    cluster,
    catalog: createIndexCatalog(cluster, now),
    capabilities: createCapabilities(cluster),
    embedder: async (model) => (model === "sparse_v3" ? sparse : dense),
    reranker: async (model) => {
      throw new Error(`no reranker ${model}`);
    },
    ranker: async () => undefined,
    synonyms: () => Promise.reject(new Error("the test has no synonyms")),
    userIdKey: async () => undefined,
    logRequest: () => {},
  };
  const handler = bulkFamily(services)["/application/bulk"];

  const send: BulkGateway["send"] = async (body, { remainingMs = 28_000, headers = {} } = {}) => {
    const started = performance.now();
    const event = {
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    };
    const result = await (handler && call(handler, event, () => remainingMs - (performance.now() - started)));
    const parsed = result?.isBase64Encoded ? undefined : JSON.parse(result?.body ?? "null");
    return {
      status: result?.statusCode ?? 0,
      headers: result?.headers as Record<string, string>,
      text: result?.body ?? "",
      body: parsed,
      items: (parsed?.index_response?.items ?? []).flatMap((item: Record<string, BulkItem>) => Object.values(item)),
    };
  };
  return {
    dense,
    sparse,
    send,
    bulk: (index, operations, options) => send({ index, bulk_request: operations }, options),
  };
}

import type { GatewaySettings } from "../../lib/search/gateway/settings.ts";
import { createLexicalModel, type LexicalModel } from "../../packages/local-models/lexical-model.ts";
import { createModelStandIns, type ModelStandIns } from "../../packages/local-models/stand-ins.ts";
import { generateVocabulary } from "../../packages/local-models/vocabulary.ts";
import { setAwsEndpoint } from "../fixtures/gateway.ts";
import { type RankingStandIn, rankingStandIn } from "../fixtures/ranking-stand-in.ts";
import { serveStandIns } from "../fixtures/stand-in-server.ts";
import { type Bucket, createBucket } from "./search/synonyms.ts";

/** Makes the models fail for each text that has it. The weights of a query's tokens need no model. */
export const FAILING_WORD = "unanswered";

/** The dense models by name, with what tells their vectors apart. */
const SEEDS = { large: 1, before: 101, english: 3 } as const;

export type DenseModel = keyof typeof SEEDS;

const DIMENSION = 1_024;

/** The models as the gateway knows them: the current ones, and one that was replaced. */
export const MODELS: GatewaySettings["models"] = [
  ...(
    [
      { revision: "2", endpoint_name: "dense" },
      { revision: "1", endpoint_name: "dense-before", previous: true },
    ] as const
  ).map((one) => ({
    name: "dense_large_en_v1_5" as const,
    concurrency: 4,
    dimension: DIMENSION,
    query_prefix: "",
    passage_prefix: "",
    ...one,
  })),
  { name: "sparse_v3", endpoint_name: "sparse", revision: "1", concurrency: 4, prune_ratio: 0.1 },
  {
    name: "ext_embed_english_v3",
    model_id: "cohere.embed-english-v3",
    revision: "cohere.embed-english-v3",
    concurrency: 4,
    dimension: DIMENSION,
  },
];

/** What `_meta` says of the vectors of text_dense, by the value of its dimension. */
export const REVISIONS: Readonly<Record<string, string>> = { current: "2", previous: "1", unknown: "0" };

/** The stand-in models: served to gateways, and asked by the oracle. */
export interface PairModels {
  standIns: ModelStandIns;
  ranking: RankingStandIn;
  bucket: Bucket;
  dense(text: string, model: DenseModel): readonly number[];
  /** Returns the weights of a query's tokens. */
  sparse(text: string): Readonly<Record<string, number>>;
  /** Returns the weights of a document's tokens. */
  sparseOfDocument(text: string): Readonly<Record<string, number>>;
  /** Returns weights of tokens by the tokens' places in the vocabulary. */
  byId(weights: Readonly<Record<string, number>>): Readonly<Record<string, number>>;
  stop(): Promise<void>;
}

/** Starts the models and a campaign for this process. */
export async function startModels(): Promise<PairModels> {
  const endpoints = { dense: "dense_large_en_v1_5", sparse: "sparse_v3" } as const;
  const standIns = await createModelStandIns({
    modelOfEndpoint: (name) => endpoints[name as keyof typeof endpoints],
    previousOfEndpoint: (name) => (name === "dense-before" ? "dense_large_en_v1_5" : undefined),
    models: { previous: { dense_large_en_v1_5: {} } } as never,
  });
  for (const model of ["dense_large_en_v1_5", "ext_embed_english_v3", "sparse_v3"] as const) {
    standIns.control.setFaults(model, [{ kind: "status", status: 400, containing: FAILING_WORD }]);
  }
  const ranking = rankingStandIn();
  const bucket = createBucket();
  const server = await serveStandIns([standIns, ranking, bucket]);
  setAwsEndpoint(server.url, undefined);
  const lexical = await createLexicalModel();
  const vectors = new Map<string, readonly number[]>();
  return {
    standIns,
    ranking,
    bucket,
    dense(text, model) {
      const key = `${model} ${text}`;
      const known = vectors.get(key) ?? lexical.dense(text, DIMENSION, SEEDS[model]);
      vectors.set(key, known);
      return known;
    },
    sparse: (text) => queryTokens(lexical, text),
    sparseOfDocument: (text) => documentTokens(lexical, text),
    byId: (weights) => Object.fromEntries(Object.entries(weights).map(([token, weight]) => [IDS.get(token), weight])),
    stop: server.stop,
  };
}

const VOCABULARY = generateVocabulary();

const IDS = new Map(VOCABULARY.tokens.map((token, id) => [token, id]));

/** Returns the tokens of a text with their weights in the model's table. */
function queryTokens(lexical: LexicalModel, text: string): Record<string, number> {
  const weights: Record<string, number> = {};
  for (const { index } of lexical.sparse(text)) {
    const token = VOCABULARY.tokens[index] ?? "";
    const weight = VOCABULARY.weights.get(token);
    if (weight !== undefined) weights[token] = weight;
  }
  return weights;
}

/** Ids of the special tokens of the vocabulary. */
const SPECIAL = new Set([0, 100, 101, 102, 103]);

/** The share of the largest weight below which the gateway drops a token: `prune_ratio` above. */
const PRUNED = 0.1;

function documentTokens(lexical: LexicalModel, text: string): Record<string, number> {
  const weights = lexical
    .sparse(text)
    .filter(({ index }) => !SPECIAL.has(index))
    .map(({ index, value }) => [VOCABULARY.tokens[index] ?? "", Math.log1p(value)] as const);
  const largest = Math.max(0, ...weights.map(([, weight]) => weight));
  return Object.fromEntries(weights.filter(([, weight]) => weight >= largest * PRUNED));
}

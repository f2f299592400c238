import * as assert from "uvu/assert";
import { gatewaySettings } from "../../build/settings-files.ts";
import { namesOf } from "../../lib/platform/naming/names.ts";
import type { Configuration } from "../../lib/settings/configuration.ts";
import { loadConfiguration } from "../../lib/settings/load.ts";
import type { Models } from "../../lib/settings/model.ts";
import { suite } from "../suite.ts";

const test = suite("settings of api-router");

const names = namesOf({ project: "demo", account: "123456789012", region: "eu-west-1" });
const local = loadConfiguration("conf.local");
const settings = (configuration: Configuration = local) => gatewaySettings(configuration, { names });

test("contain every index with its mappings and its policy for a failing model", () => {
  const { indexes } = settings();
  assert.equal(
    indexes.map(({ index }) => index),
    ["books", "books-*"],
  );
  assert.equal(indexes[0]?.on_embedding_failure, { write: "fail", query: "degrade" });
  assert.is(indexes[0]?.candidates, 100);
});

test("have what a reranker reads, and its endpoint if an index uses that", () => {
  const rerank = { fields: ["title"], candidates: 50, timeout_ms: 1_000, by_default: true };
  const withModel = (model: string) => {
    assert.ok(local.searchGateway);
    const [first, ...others] = local.searchGateway.hybridQueries;
    assert.ok(first);
    const hybridQueries = [{ ...first, rerank: { ...rerank, model } }, ...others];
    const models = { ...local.searchGateway.models, reranker: { endpoint_name: "shop-reranker" } };
    return settings({ ...local, searchGateway: { ...local.searchGateway, hybridQueries, models } });
  };
  const own = withModel("reranker");
  assert.equal([own.indexes[0]?.rerank?.fields, own.reranker_endpoint], [["title"], "shop-reranker"]);
  assert.is(withModel("amazon.rerank-v1:0").reranker_endpoint, undefined);
});

test("say whether there are rules, which a bucket for synonyms alone does not mean", () => {
  const { searchGateway } = local;
  assert.ok(searchGateway);
  const withRules = (rules: typeof searchGateway.rules) =>
    settings({ ...local, searchGateway: { ...searchGateway, rules } });
  assert.equal([withRules([]).has_rules, withRules(undefined).has_rules], [true, undefined]);
});

test("name the endpoint of a self-hosted model, its pruning and its parallel calls", () => {
  assert.equal(settings().models, [
    {
      name: "dense_large_en_v1_5",
      endpoint_name: "demo-dense-large-en-v1-5-bc0882c1",
      revision: "d4aa6901d3a41ba39fb536a557fa166f842b0e09",
      concurrency: 4,
      document_concurrency: 2,
      dimension: 384,
      passage_prefix: "",
      query_prefix: "",
    },
    {
      name: "sparse_v3",
      endpoint_name: "demo-sparse-v3-5c3f986b",
      revision: "babf71f3c48695e2e53a978208e8aba48335e3c0",
      concurrency: 4,
      prune_ratio: 0.1,
    },
  ]);
});

/** Returns the local configuration with other mappings and models. */
function withModel(model_name: "ext_embed_english_v3" | "ext_embed_bedrock", section = {}): Configuration {
  assert.ok(local.searchGateway);
  const [entry] = local.searchGateway.hybridQueries;
  assert.ok(entry);
  const embedding_mappings = [{ embedding_field: "vector", model_name, src_fields: ["title"] }];
  const hybridQueries = [{ ...entry, embedding_mappings }];
  const models = { ...local.searchGateway.models, [model_name]: { query_concurrency: 7, ...section } };
  return { ...local, searchGateway: { ...local.searchGateway, hybridQueries, models } };
}

test("name the Bedrock id and dimension of a hosted model or of any other, and leave unused models out", () => {
  const common = { revision: "main", concurrency: 7 };
  assert.equal(settings(withModel("ext_embed_english_v3")).models, [
    { name: "ext_embed_english_v3", model_id: "cohere.embed-english-v3", ...common, dimension: 1024 },
  ]);
  const section = { model_id: "eu.cohere.embed-v4:0", dimension: 1536 };
  assert.equal(settings(withModel("ext_embed_bedrock", section)).models, [
    { name: "ext_embed_bedrock", ...common, ...section },
  ]);
});

test("name an existing endpoint, and use it or the location of the files as the revision", () => {
  const named = (section: Parameters<typeof denseSettings>[0]) => {
    const { endpoint_name, revision } = denseSettings(section);
    return [endpoint_name, revision];
  };
  const existing = { initial_instance_count: undefined, instance_type: undefined, endpoint_name: "shop-embeddings" };
  assert.equal(named(existing), ["shop-embeddings", "shop-embeddings"]);
  assert.equal(named({ ...existing, revision: "2" }), ["shop-embeddings", "2"]);
  assert.equal(named({ model_data: "s3://models/a/" }), ["demo-dense-large-en-v1-5-b920d0ac", "s3://models/a/"]);
});

test("do not apply the built-in model's prefix to another model", () => {
  assert.is(denseSettings({ model_id: "a/b", dimension: 1024, revision: "1" }).query_prefix, "");
});

test("contain the timeouts of every kind of model", () => {
  assert.ok(local.searchGateway);
  const timeouts = { query_timeout_ms: 1_500, document_timeout_ms: 20_000 };
  const host = { initial_instance_count: 1, instance_type: "ml.g5.xlarge" };
  const models = {
    dense_large_en_v1_5: { ...host, ...timeouts },
    sparse_v3: { ...host, prune_ratio: 0.1, document_timeout_ms: 20_000 },
  };
  const kept = settings({ ...local, searchGateway: { ...local.searchGateway, models } }).models;
  const hosted = withModel("ext_embed_english_v3");
  assert.ok(hosted.searchGateway);
  const ext_embed_english_v3 = { query_concurrency: 1, ...timeouts };
  const [other] = settings({
    ...hosted,
    searchGateway: { ...hosted.searchGateway, models: { ext_embed_english_v3 } },
  }).models;
  assert.equal(
    [...kept, other].map((model) => [model?.query_timeout_ms, model?.document_timeout_ms]),
    [
      [1_500, 20_000],
      [undefined, 20_000],
      [1_500, 20_000],
    ],
  );
});

/** Returns the dense model's settings with these keys in its section of model.yaml. */
function denseSettings(section: NonNullable<Models["dense_large_en_v1_5"]>) {
  assert.ok(local.searchGateway);
  const dense_large_en_v1_5 = { initial_instance_count: 1, instance_type: "ml.g5.xlarge", ...section };
  const models = { ...local.searchGateway.models, dense_large_en_v1_5 };
  const [dense] = settings({ ...local, searchGateway: { ...local.searchGateway, models } }).models;
  assert.ok(dense?.name === "dense_large_en_v1_5");
  return dense;
}

/** Returns the dense model's dimension and prefixes. */
function denseWith(section: NonNullable<Models["dense_large_en_v1_5"]>) {
  const dense = denseSettings(section);
  return [dense.dimension, dense.query_prefix, dense.passage_prefix];
}

test("accept a dimension and prefixes that are not the model's own", () => {
  assert.equal(denseWith({ dimension: 384, query_prefix: "query: ", passage_prefix: "passage: " }), [
    384,
    "query: ",
    "passage: ",
  ]);
  assert.equal(denseWith({ query_prefix: "" }), [1024, "", ""]);
});

test("have no prefix of BGE for a model with another dimension", () => {
  assert.equal(denseWith({ dimension: 384 }), [384, "", ""]);
});

test("name the key for user ids only if it is used", () => {
  const hmac = { ...local, api: { ...local.api, logging: { ...local.api.logging, user_id: "hmac" as const } } };
  assert.is(settings().logging.hmac_secret_name, undefined);
  assert.is(settings(hmac).logging.hmac_secret_name, "/relevance/demo/search-gateway/user-id-key");
});

test("contain all settings of the ranking with a campaign, and no ranking without one", () => {
  const { campaign_arn: _, ...rest } = local.api.personalized_ranking;
  const without = { ...local, api: { ...local.api, personalized_ranking: rest } };
  assert.is(settings(without).personalized_ranking, undefined);
  assert.equal(Object.keys(settings().personalized_ranking ?? {}).sort(), [
    "campaign_arn",
    "item_id_field",
    "timeout_ms",
    "weight",
    "window",
  ]);
});

test("are rejected for a configuration without a search gateway", () => {
  assert.throws(() => settings({ ...local, searchGateway: undefined }), /add vpc and opensearch to project\.yaml/);
});

test.run();

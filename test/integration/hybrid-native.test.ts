import { readFileSync } from "node:fs";
import * as assert from "uvu/assert";
import { corpus } from "../fixtures/corpus.ts";
import { type FaultProxy, startFaultProxy } from "../fixtures/fault-proxy.ts";
import { fillIndex } from "../fixtures/fill-index.ts";
import {
  hybridIndex,
  type Json,
  startGateway,
  startUpstreams,
  type TestGateway,
  type TestHit,
} from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("hybrid search against native bodies");
await startUpstreams();

/** Native bodies as somebody would write them by hand: plain JSON, not built by code of this project. */
const read = (file: string) =>
  JSON.parse(readFileSync(new URL(`../fixtures/hybrid-native/${file}`, import.meta.url), "utf8"));
const BODY = read("body.json");
const PIPELINES: Record<string, Pipeline> = read("pipelines.json");

const QUERY = "salt harbour lighthouse";
const SEA = { term: { genre: "sea" } };
const SUBQUERIES = [
  { match: { text: "salt harbour lighthouse" } },
  { bool: { must: { match: { text: "storm" } }, filter: [{ range: { year: { gte: 1920 } } }] } },
  { knn: { text_dense: { vector: "[text_dense]", k: 40, filter: SEA } } },
  { bool: { should: "[text_sparse]", filter: [SEA] } },
  { match: { text: { query: "caravan well", operator: "or" } } },
];

interface NormalizationProcessor {
  normalization: { technique: string };
  combination: { technique: string; parameters?: { weights: number[] } };
}
type Pipeline = { phase_results_processors: [{ "normalization-processor": NormalizationProcessor }] };

/** Returns the settings of our endpoint that correspond to a native pipeline. */
function settingsOf({ phase_results_processors: [processor] }: Pipeline) {
  const { normalization, combination } = processor["normalization-processor"];
  return {
    normalization: normalization.technique,
    combination: combination.technique,
    ...(combination.parameters && { weights: combination.parameters.weights }),
  };
}

const scores = (hits: readonly TestHit[]) => hits.map(({ _id, _score }) => [_id, _score]);

for (const cluster of await clusters()) {
  const index = uniqueIndex("native");
  let gateway: TestGateway;
  let proxy: FaultProxy;
  const hybrid = (queries: unknown[], settings: object, size = 50) =>
    gateway.post("/application/hybrid-search", {
      index,
      search_query: QUERY,
      search_request_template: { size, query: { hybrid: { queries } } },
      settings,
    });
  const native = async (body: unknown) => {
    const { body: answer } = await request<Json>(cluster, "POST", `/${index}/_search`, body);
    return answer.search_response ?? (answer as unknown as Json["search_response"]);
  };

  test.before(async () => {
    proxy = await startFaultProxy(cluster.url);
    gateway = await startGateway({ node: proxy.url, settings: { indexes: [hybridIndex(index)] } });
    await fillIndex(cluster, gateway, index, corpus(400));
  });

  for (const [name, pipeline] of Object.entries(PIPELINES)) {
    test(`${cluster.version}: five subqueries, ${name}: returns the order and scores of the native body`, async () => {
      const expected = await native({ ...BODY, search_pipeline: pipeline });
      const { status, body, text } = await hybrid(SUBQUERIES, settingsOf(pipeline));
      assert.is(status, 200, text);
      assert.ok(expected.hits.hits.length > 20, "the case says something");
      assert.equal(scores(body.search_response.hits.hits), scores(expected.hits.hits));
      assert.equal(body.search_response.hits.total, expected.hits.total);
    });
  }

  test(`${cluster.version}: the sparse subquery alone scores by the dot product, within 1 %`, async () => {
    proxy.reset();
    await hybrid([{ bool: { should: "[text_sparse]", filter: [SEA] } }], {});
    const sent = JSON.parse(proxy.calls.find(({ path }) => path.includes("_search"))?.body ?? "{}");
    const [subquery] = sent.query.hybrid.queries;
    const tokens: Record<string, number> = subquery.bool.should[0].neural_sparse.text_sparse.query_tokens;
    const { hits } = await native({ size: 400, query: subquery });
    assert.ok(hits.hits.length > 10);
    for (const { _score, _source } of hits.hits) {
      const stored = _source.text_sparse as Record<string, number>;
      const product = Object.entries(tokens).reduce(
        (total, [token, weight]) => total + weight * (stored[token] ?? 0),
        0,
      );
      assert.ok(Math.abs((_score ?? 0) - product) <= 0.01 * product, `${_score} and ${product}`);
      assert.is(_source.genre, "sea");
    }
  });
}

test.after(stopStarted);

test.run();

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import type { Evaluation } from "../../packages/lab/evaluation/evaluate.ts";
import { overlap } from "../../packages/local-models/rerank-server.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { runHere } from "../cli/run-here.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { fillIndex } from "../fixtures/fill-index.ts";
import {
  API_KEY,
  CAMPAIGN_ARN,
  hybridIndex,
  startGateway,
  startUpstreams,
  type TestGateway,
} from "../fixtures/gateway.ts";
import type { Json } from "../fixtures/gateway-json.ts";
import { aboutOf, byOverlap, CANDIDATES, DOCUMENTS, QUERIES } from "../fixtures/lamps.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("reranking");
const folder = scratchFolder(TEST_OUTPUT, "rerank");
const upstreams = await startUpstreams();

const RERANK = { model: "reranker", fields: ["about"], candidates: CANDIDATES, timeout_ms: 10_000, by_default: true };
const KEYS = { limited: `${API_KEY}-limited`, templates: `${API_KEY}-templates` };

interface Reranked extends Json {
  stages: Array<{ name: string; failed: boolean; usage?: { calls: number; units: number; cached: number } }>;
}

const idsOf = ({ search_response }: Json) => search_response.hits.hits.map(({ _id }) => _id);
const usageOf = ({ stages }: Reranked) => stages.find(({ name }) => name === "rerank")?.usage;

for (const cluster of await clusters()) {
  const index = uniqueIndex("rerank");
  const [hosted, asked] = [`${index}-hosted`, `${index}-asked`] as const;
  let gateway: TestGateway;
  const send = {
    plain: (rest: object, fields: object, name = index, key = API_KEY) =>
      gateway.post<Reranked>(
        "/application/search",
        {
          ...{ index: name, user_query: QUERIES[0], search_request: { query: { match: { text: "lamp" } }, ...rest } },
          ...fields,
        },
        { "x-api-key": key },
      ),
    hybrid: (rest: object, fields: object, name = index, key = API_KEY) =>
      gateway.post<Reranked>(
        "/application/hybrid-search",
        {
          ...{ index: name, search_query: QUERIES[0] },
          search_request_template: {
            query: {
              hybrid: {
                queries: [{ match: { text: "lamp" } }, { knn: { text_dense: { vector: "[text_dense]", k: 60 } } }],
              },
            },
            ...rest,
          },
          ...fields,
        },
        { "x-api-key": key },
      ),
  };

  test.before(async () => {
    gateway = await startGateway({
      node: cluster.url,
      moreKeys: Object.values(KEYS),
      env: { API_KEYS: "key-1=given,key-2=limited,key-3=templates" },
      settings: {
        // The names of aliases choose other entries for the same documents.
        indexes: [
          hybridIndex(index, { candidates: 60, rerank: RERANK }),
          hybridIndex(hosted, { candidates: 60, rerank: { ...RERANK, model: "cohere.rerank-v3-5:0", min_score: 0.5 } }),
          hybridIndex(asked, { candidates: 60, rerank: { ...RERANK, model: "amazon.rerank-v1:0", by_default: false } }),
        ],
        reranker_endpoint: "reranker",
        templates: [
          { name: "shop", search_request_template: { size: 20, query: { match: { text: "lamp" } } }, params: {} },
        ],
        personalized_ranking: {
          ...{ campaign_arn: CAMPAIGN_ARN, weight: 0.5, window: 20, timeout_ms: 10_000, item_id_field: "_id" },
        },
        keys: [
          { name: "given", endpoints: ["search", "hybrid-search", "bulk"], raw_backend: "all" },
          { name: "limited", endpoints: ["search", "hybrid-search"], indexes: [hosted] },
          { name: "templates", endpoints: ["search"], indexes: [index], templates: ["shop"] },
        ],
      },
    });
    await fillIndex(cluster, gateway, index, DOCUMENTS);
    for (const alias of [hosted, asked]) await request(cluster, "PUT", `/${index}/_alias/${alias}`);
  });

  test.before.each(() => upstreams.models.control.reset());

  for (const kind of ["plain", "hybrid"] as const) {
    const pages = async (fields: object, name = index) => {
      const all = [];
      for (let from = 0; from < 60; from += 15) all.push((await send[kind]({ size: 15, from }, fields, name)).body);
      return all;
    };

    test(`${cluster.version}: ${kind}: the best hits come in the model's order, and pages hold each hit once`, async () => {
      const off = await pages({ rerank: { is_enabled: false } });
      const whole = off.flatMap(idsOf);
      const reranked = await pages({ explain_stages: true });
      assert.equal(reranked.flatMap(idsOf), byOverlap(whole, QUERIES[0] ?? ""));
      assert.not.equal(reranked.flatMap(idsOf), whole);
      assert.equal(
        reranked.map(({ search_response }) => search_response.hits.total),
        off.map(({ search_response }) => search_response.hits.total),
      );
      assert.is(off[0]?.stages, undefined);
      const usages = reranked.map(usageOf);
      // The page below the window needs no model, and the others have the scores of the first in memory.
      assert.is(usages.at(-1), undefined);
      assert.is(usages[1]?.calls, 0);
      const line = gateway.log.map((text) => JSON.parse(text)).at(-2);
      assert.equal(line.query_attributes.stages[0].usage, usages[2]);
    });

    test(`${cluster.version}: ${kind}: hits that show no text are read again, and stay as the caller asked`, async () => {
      const [first] = await pages({});
      const { body, text } = await send[kind]({ size: 15, _source: false }, {});
      assert.is(body.degraded, undefined, text);
      assert.equal(idsOf(body), idsOf(first as Json));
      assert.ok(body.search_response.hits.hits.every((hit) => !("_source" in hit)));
    });

    test(`${cluster.version}: ${kind}: a model of Bedrock, by an alias and a limited key; hits below the least score follow behind`, async () => {
      const whole = idsOf((await send[kind]({ size: 60 }, { rerank: { is_enabled: false } }, hosted)).body);
      const { body, text } = await send[kind]({ size: 60 }, { explain_stages: true }, hosted, KEYS.limited);
      assert.is(body.degraded, undefined, text);
      const head = whole.slice(0, CANDIDATES);
      const isGood = (id: string) => overlap(QUERIES[0] ?? "", aboutOf(id)) >= 0.5;
      const expected = [...byOverlap(head.filter(isGood), QUERIES[0] ?? ""), ...head.filter((id) => !isGood(id))];
      assert.equal(idsOf(body), [...expected, ...whole.slice(CANDIDATES)]);
      assert.is(usageOf(body)?.units, usageOf(body)?.calls);
    });

    test(`${cluster.version}: ${kind}: with a ranking for the user and variety, each hit is there once`, async () => {
      const whole = (await pages({ rerank: { is_enabled: false } })).flatMap(idsOf);
      const fields = { user_id: "u1", business_rules: { is_personalized_enabled: true }, explain_stages: true };
      const all = await pages({ ...fields, variety: { groups: { field: "genre", max: 1 } } });
      assert.equal(all.flatMap(idsOf).toSorted(), whole.toSorted());
      assert.equal(
        all[0]?.stages.map(({ name, failed }) => [name, failed]),
        [
          ["rerank", false],
          ["personalization", false],
          ["variety", false],
        ],
      );
    });
  }

  test(`${cluster.version}: a search without text is not reranked, and a key of a web page has it as configured`, async () => {
    const { body } = await send.plain({ size: 5 }, { user_query: undefined, explain_stages: true });
    assert.equal(body.stages, []);
    const shop = (fields: object, key = KEYS.templates) =>
      gateway.post<Reranked>(
        "/application/search",
        { index, template: "shop", user_query: QUERIES[1], ...fields },
        { "x-api-key": key },
      );
    const { body: shown } = await shop({ explain_stages: true }, API_KEY);
    assert.is(shown.stages[0]?.name, "rerank");
    assert.equal((await shop({})).body.search_response.hits.hits, shown.search_response.hits.hits);
    assert.is((await shop({ rerank: {} })).status, 403);
  });

  test(`${cluster.version}: evaluate measures it on planted relevance, with what a thousand searches take`, async () => {
    const judgments = join(folder, "judgments.csv");
    const lines = QUERIES.flatMap((query) =>
      DOCUMENTS.map(({ id, doc }) => `${query},${id},${Math.round(3 * overlap(query, doc.about))}\n`),
    );
    writeFileSync(judgments, `query,doc,grade\n${lines.join("")}`);
    const file = join(folder, "settings.yaml");
    const setting = (name: string, fields: object) => ({
      ...{ name, ...fields },
      search_request: { query: { match: { text: "lamp" } } },
    });
    const settings = [setting("before", {}), setting("reranked", { rerank: {} })];
    writeFileSync(file, JSON.stringify({ index: asked, settings }));
    const args = ["--settings", file, "--judgments", judgments, "--api-host", gateway.url, "--api-key", API_KEY];
    const evaluated = async (metric: string): Promise<Evaluation> => {
      const { code, out, err } = await runHere(["evaluate", ...args, "--metrics", metric, "--json"]);
      assert.is(code, 0, err);
      return JSON.parse(out);
    };
    const { settings: measured, verdict } = await evaluated("ndcg@10");
    const [before = 0, after = 0] = measured.map(({ scores }) => scores["ndcg@10"]?.mean.mean ?? 0);
    assert.ok(after > before + 0.2, `${before} before, ${after} after`);
    assert.equal(verdict.better[0], "reranked");
    assert.equal([measured[1]?.usage?.calls, measured[1]?.usage?.units], [1_000, 1_000]);
    assert.is(measured[0]?.usage, undefined);
  });

  test.after(async () => {
    await request(cluster, "DELETE", `/${index}`);
  });
}

test.after(stopStarted);

test.run();

import * as assert from "uvu/assert";
import { corpus } from "../fixtures/corpus.ts";
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
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("stages of a page");
await startUpstreams();

const WINDOW = 60;
const QUERY = { bool: { should: [{ match: { text: "salt harbour storm" } }, { match_all: {} }] } };
const GROUPS = { groups: { field: "genre", max: 1 } };
const RANKING = { campaign_arn: CAMPAIGN_ARN, weight: 0.5, window: 20, timeout_ms: 10_000, item_id_field: "_id" };
const KEYS = { templates: `${API_KEY}-templates` };

interface Varied extends Json {
  stages: Array<{
    name: string;
    moved: number;
    failed: boolean;
    moves: Array<{ _id: string; from: number; to: number }>;
  }>;
}

const idsOf = ({ search_response }: Json) => search_response.hits.hits.map(({ _id }) => _id);
const genresOf = ({ search_response }: Json) => search_response.hits.hits.map(({ _source }) => _source.genre);

for (const cluster of await clusters()) {
  const index = uniqueIndex("variety");
  const alias = `${index}-alias`;
  let gateway: TestGateway;
  const send = {
    plain: (rest: object, fields: object) =>
      gateway.post<Varied>("/application/search", { index, search_request: { query: QUERY, ...rest }, ...fields }),
    hybrid: (rest: object, fields: object) =>
      gateway.post<Varied>("/application/hybrid-search", {
        ...{ index, search_query: "salt harbour" },
        search_request_template: {
          query: { hybrid: { queries: [QUERY, { knn: { text_dense: { vector: "[text_dense]", k: 50 } } }] } },
          ...rest,
        },
        ...fields,
      }),
  };

  test.before(async () => {
    const template = { name: "shop", search_request_template: { query: QUERY }, params: {} };
    gateway = await startGateway({
      node: cluster.url,

      moreKeys: Object.values(KEYS),
      env: { API_KEYS: "key-1=given,key-2=templates" },
      settings: {
        indexes: [
          hybridIndex(index, { candidates: WINDOW }),
          hybridIndex(`${index}-*`, { candidates: WINDOW, variety: GROUPS }),
        ],
        templates: [template],
        personalized_ranking: RANKING,
        keys: [
          { name: "given", endpoints: ["search", "hybrid-search", "bulk"], raw_backend: "all" },
          { name: "templates", endpoints: ["search"], indexes: [alias], templates: ["shop"] },
        ],
      },
    });
    for (const name of [index, `${index}-varied`]) await fillIndex(cluster, gateway, name, corpus(90));
    await request(cluster, "PUT", `/${index}-varied/_alias/${alias}`);
  });

  for (const kind of ["plain", "hybrid"] as const) {
    test(`${cluster.version}: ${kind}: the first hits are of different groups, pages hold each hit once, totals stay`, async () => {
      const pages = async (fields: object) => {
        const all = [];
        for (let from = 0; from < 90; from += 18) all.push((await send[kind]({ size: 18, from }, fields)).body);
        return all;
      };
      const plain = await pages({});
      const whole = plain.flatMap(idsOf);
      const first = await send[kind]({ size: 4 }, { variety: GROUPS });
      assert.is(first.status, 200, first.text);
      assert.is(new Set(genresOf(first.body)).size, 4);
      assert.is(idsOf(first.body)[0], whole[0]);
      const [stage] = first.body.stages;
      assert.is(stage?.name, "variety");
      assert.ok((stage?.moved ?? 0) > 0);
      for (const { _id, from, to } of stage?.moves ?? []) {
        assert.equal([whole[from - 1], idsOf(first.body)[to - 1]], [_id, _id]);
      }
      assert.equal(first.body.variety, GROUPS);
      const varied = await pages({ variety: GROUPS });
      const seen = varied.flatMap(idsOf);
      assert.equal(seen.toSorted(), whole.toSorted());
      assert.equal(seen.slice(WINDOW), whole.slice(WINDOW));
      assert.equal(
        varied.map(({ search_response }) => search_response.hits.total),
        plain.map(({ search_response }) => search_response.hits.total),
      );
    });

    test(`${cluster.version}: ${kind}: by the vectors of the index, near copies are moved apart`, async () => {
      const whole = await send[kind]({ size: WINDOW }, {});
      const similarity = { field: "text_dense", weight: 0.9 };
      const { body, text } = await send[kind]({ size: WINDOW }, { variety: { similarity }, explain_stages: true });
      assert.is(body.degraded, undefined, text);
      assert.ok((body.stages[0]?.moved ?? 0) > 10);
      assert.equal(idsOf(body).toSorted(), idsOf(whole.body).toSorted());
      assert.not.equal(idsOf(body), idsOf(whole.body));
    });

    test(`${cluster.version}: ${kind}: a field that cannot be read leaves the order, and the answer says so`, async () => {
      const plain = await send[kind]({ size: 5 }, {});
      const { status, body, headers } = await send[kind](
        { size: 5 },
        { variety: { groups: { field: "text", max: 1 } } },
      );
      assert.is(status, 200);
      assert.equal(idsOf(body), idsOf(plain.body));
      assert.is(headers.get("x-degraded"), "variety");
      assert.match(body.degraded[0]?.reason ?? "", "the values of text could not be read");
    });

    test(`${cluster.version}: ${kind}: where a processor leaves out hits, pages are the cluster's, and the answer says so`, async () => {
      for (const processor of [{ truncate_hits: { target_size: 4 } }, { collapse: { field: "genre" } }]) {
        const search_pipeline = { response_processors: [processor] };
        for (const from of [0, 5, 10]) {
          const plain = await send[kind]({ from, size: 5, search_pipeline }, { variety: {} });
          const { body, headers, text } = await send[kind]({ from, size: 5, search_pipeline }, { variety: GROUPS });
          assert.equal(idsOf(body), idsOf(plain.body), text);
          assert.ok(idsOf(body).length > 0);
          assert.is(headers.get("x-degraded"), "variety", text);
        }
      }
    });

    test(`${cluster.version}: ${kind}: after a ranking for the user, both are told`, async () => {
      const ranked = { user_id: "u1", business_rules: { is_personalized_enabled: true } };
      const { body } = await send[kind]({ size: 4 }, { ...ranked, variety: GROUPS });
      assert.is(new Set(genresOf(body)).size, 4);
      assert.equal(
        body.stages.map(({ name, failed }) => [name, failed]),
        [
          ["personalization", false],
          ["variety", false],
        ],
      );
      const line = gateway.log.map((text) => JSON.parse(text)).at(-1);
      assert.is(line.query_attributes.personalized, true);
      assert.equal(Object.keys(line.query_attributes.stages[1]), [
        ...["name", "milliseconds", "moved", "added", "hidden", "failed"],
      ]);
    });
  }

  test(`${cluster.version}: a hybrid query without the gateway's pages keeps its order, and the answer says so`, async () => {
    const query = { hybrid: { queries: [QUERY, { match: { genre: "sea" } }] } };
    const search_pipeline = { phase_results_processors: [{ "normalization-processor": {} }] };
    const { body, headers } = await send.plain({ query, search_pipeline, size: 5 }, { variety: GROUPS });
    assert.equal([headers.get("x-degraded"), new Set(idsOf(body)).size], ["variety", 5]);
    assert.match(body.degraded[0]?.reason ?? "", "send it to /application/hybrid-search");
  });

  test(`${cluster.version}: values that the index leaves out for their length are not taken for none`, async () => {
    const name = uniqueIndex("ignored");
    const properties = { genre: { type: "keyword", ignore_above: 4 } };
    await request(cluster, "PUT", `/${name}`, { mappings: { properties } });
    for (const genre of ["sea", "sea", "mountains"])
      await request(cluster, "POST", `/${name}/_doc?refresh=true`, { genre });
    const search = { index: name, search_request: {}, variety: GROUPS };
    const { body } = await gateway.post<Varied>("/application/search", search);
    assert.equal(body.degraded[0], {
      stage: "variety",
      target: "search_response",
      reason: "the index leaves out values of genre that are longer than its ignore_above",
      effect: "similar hits are not moved apart",
    });
    await request(cluster, "DELETE", `/${name}`);
  });

  test(`${cluster.version}: a key of a web page varies as configured, and cannot say otherwise`, async () => {
    const shop = (fields: object) =>
      gateway.post<Varied>(
        "/application/search",
        { index: alias, template: "shop", ...fields },
        { "x-api-key": KEYS.templates },
      );
    const { status, body, text } = await shop({});
    assert.is(status, 200, text);
    assert.is(new Set(genresOf(body).slice(0, 4)).size, 4);
    assert.is((await shop({ variety: { groups: { field: "year", max: 1 } } })).status, 403);
  });

  test.after(async () => {
    for (const name of [index, `${index}-varied`]) await request(cluster, "DELETE", `/${name}`);
  });
}

test.after(stopStarted);

test.run();

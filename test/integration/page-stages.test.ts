import * as assert from "uvu/assert";
import { corpus } from "../fixtures/corpus.ts";
import {
  API_KEY,
  CAMPAIGN_ARN,
  HYBRID_MAPPING,
  hybridIndex,
  type Json,
  startGateway,
  startUpstreams,
  type TestGateway,
} from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";

const test = suite("stages of a page");
const upstreams = await startUpstreams();
const toStop: Array<{ stop(): Promise<void> }> = [upstreams];

const WINDOW = 60;
const QUERY = { bool: { should: [{ match: { text: "salt harbour storm" } }, { match_all: {} }] } };
const GROUPS = { groups: { field: "genre", max: 1 } };
const RANKING = { campaign_arn: CAMPAIGN_ARN, weight: 0.5, window: 20, timeout_ms: 10_000, item_id_field: "_id" };
const KEYS = { limited: `${API_KEY}-limited`, templates: `${API_KEY}-templates` };

interface Varied extends Json {
  experiment: { variant: string; teams: Array<string | null> };
  stages: Array<{
    name: string;
    moved: number;
    failed: boolean;
    moves: Array<{ _id: string; from: number; to: number }>;
  }>;
}

const WORDS = { weights: [1, 0] };
const MEANING = { weights: [0, 1] };

const idsOf = ({ search_response }: Json) => search_response.hits.hits.map(({ _id }) => _id);
const genresOf = ({ search_response }: Json) => search_response.hits.hits.map(({ _source }) => _source.genre);

for (const cluster of await clusters()) {
  const index = uniqueIndex("variety");
  const alias = `${index}-alias`;
  const mixed = `${index}-mixed`;
  let gateway: TestGateway;
  const send = {
    plain: (rest: object, fields: object, name = index, key = API_KEY) =>
      gateway.post<Varied>(
        "/application/search",
        { index: name, search_request: { query: QUERY, ...rest }, ...fields },
        { "x-api-key": key },
      ),
    hybrid: (rest: object, fields: object, name = index, key = API_KEY) =>
      gateway.post<Varied>(
        "/application/hybrid-search",
        {
          index: name,
          search_query: "salt harbour",
          search_request_template: {
            query: { hybrid: { queries: [QUERY, { knn: { text_dense: { vector: "[text_dense]", k: 50 } } }] } },
            ...rest,
          },
          ...fields,
        },
        { "x-api-key": key },
      ),
  };

  test.before(async () => {
    const template = { name: "shop", search_request_template: { query: QUERY }, params: {} };
    gateway = await startGateway({
      node: cluster.url,
      moreKeys: Object.values(KEYS),
      env: { API_KEYS: "key-1=given,key-2=limited,key-3=templates" },
      settings: {
        indexes: [
          hybridIndex(index, { candidates: WINDOW }),
          hybridIndex(`${index}-*`, { candidates: WINDOW, variety: GROUPS }),
        ],
        templates: [template],
        experiments: [
          {
            name: "mixed",
            kind: "interleave",
            index: mixed,
            variants: [
              { name: "words", share: 0.5, settings: WORDS },
              { name: "meaning", share: 0.5, settings: MEANING },
            ],
          },
        ],
        personalized_ranking: RANKING,
        keys: [
          { name: "given", endpoints: ["search", "hybrid-search", "bulk"], raw_backend: "all" },
          { name: "limited", endpoints: ["search", "hybrid-search"], indexes: [alias] },
          { name: "templates", endpoints: ["search"], indexes: [alias], templates: ["shop"] },
        ],
      },
    });
    toStop.unshift(gateway);
    for (const name of [index, `${index}-varied`]) await request(cluster, "PUT", `/${name}`, HYBRID_MAPPING);
    await request(cluster, "PUT", `/${index}-varied/_alias/${alias}`);
    // With a filter, it is a name of the index only for those who use it.
    await request(cluster, "PUT", `/${index}/_alias/${mixed}`, { filter: { match_all: {} } });
    const bulk_request = corpus(90).map(({ id, doc }) => ({ id, op: "index", doc }));
    for (const name of [index, `${index}-varied`]) {
      const { body, text } = await gateway.post("/application/bulk", { index: name, bulk_request });
      assert.is(body.index_response?.errors, false, text);
      await request(cluster, "POST", `/${name}/_refresh`);
    }
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

    test(`${cluster.version}: ${kind}: the entry of the index decides, also through an alias and with a limited key`, async () => {
      const { status, body, text } = await send[kind]({ size: 4, _source: ["genre"] }, {}, alias, KEYS.limited);
      assert.is(status, 200, text);
      assert.is(new Set(genresOf(body)).size, 4);
      const off = await send[kind]({ size: 4 }, { variety: {} }, alias, KEYS.limited);
      assert.is(off.body.stages, undefined);
      const sorted = await send[kind]({ size: 4, sort: ["year"] }, {}, alias);
      assert.is(sorted.body.degraded, undefined);
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

  test(`${cluster.version}: interleaves the hits of two variants, each once over all pages`, async () => {
    const pages = async (fields: object, name: string) => {
      const all = [];
      for (let from = 0; all.at(-1)?.search_response.hits.hits.length !== 0; from += 22) {
        all.push((await send.hybrid({ size: 22, from, _source: ["genre"] }, fields, name)).body);
      }
      return all;
    };
    const words = await pages({ settings: WORDS }, index);
    const meaning = (await pages({ settings: MEANING }, index)).flatMap(idsOf).slice(0, WINDOW);
    const both = await pages({ user_id: "u2" }, mixed);
    const seen = both.flatMap(idsOf);
    assert.equal(seen.toSorted(), [...new Set([...words.flatMap(idsOf), ...meaning])].toSorted());
    const teams = both.flatMap(({ experiment }) => experiment.teams);
    assert.is(teams.length, seen.length);
    for (let at = 0; at < WINDOW; at += 2) {
      assert.equal(teams.slice(at, at + 2).toSorted(), ["meaning", "words"], `places ${at} and ${at + 1}`);
    }
    const [first] = both;
    assert.is(first?.experiment.variant, "interleaved");
    assert.equal(first?.search_response.hits.total, words[0]?.search_response.hits.total);
    const lines = gateway.log.map((text) => JSON.parse(text).query_attributes);
    assert.equal(lines.findLast(({ experiment }) => experiment?.teams.length > 0).experiment.name, "mixed");
    const sorted = await send.hybrid({ sort: ["year"] }, { user_id: "u2" }, mixed);
    assert.is(sorted.body.experiment, undefined);
    assert.is(sorted.body.degraded, undefined);
  });

  for (const [what, variety, path] of [
    ["a pattern of fields", { groups: { field: "g*", max: 1 } }, "variety.groups.field"],
    ["a limit of 0", { groups: { field: "genre", max: 0 } }, "variety.groups.max"],
    ["a weight above 1", { similarity: { field: "genre", weight: 2 } }, "variety.similarity.weight"],
    ["a list", [], "variety"],
  ] as const) {
    test(`${cluster.version}: ${what} is refused`, async () => {
      const { status, body } = await send.plain({}, { variety });
      assert.is(status, 400);
      assert.is(body.error.issues[0]?.path, path);
    });
  }

  test.after(async () => {
    for (const name of [index, `${index}-varied`]) await request(cluster, "DELETE", `/${name}`);
  });
}

test.after(async () => {
  for (const started of toStop) await started.stop();
});

test.run();

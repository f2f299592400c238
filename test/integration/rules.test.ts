import * as assert from "uvu/assert";
import { unique } from "../../packages/local-aws/test/cloud/functions.ts";
import { documentBucket } from "../fixtures/document-bucket.ts";
import { fillIndex } from "../fixtures/fill-index.ts";
import {
  API_KEY,
  HYBRID_MAPPING,
  hybridIndex,
  startGateway,
  startUpstreams,
  type TestGateway,
} from "../fixtures/gateway.ts";
import type { Json } from "../fixtures/gateway-json.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { COUNT, documents, hybridBody, plainBody, type Rest, RULES, type Ruled } from "../fixtures/ruled-searches.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("rules of searches");
await startUpstreams();
const BUCKET = await documentBucket({
  rules: RULES,
  draft: [{ name: "next", effects: { data: { next: true } } }],
});
const KEYS = { templates: `${API_KEY}-templates` };

const idsOf = ({ search_response }: Json) => search_response.hits.hits.map(({ _id }) => _id);
const namesOf = ({ rules = [] }: Partial<Ruled>) => rules.map(({ name }) => name);

for (const cluster of await clusters()) {
  const index = uniqueIndex("rules");
  let gateway: TestGateway;
  let without: TestGateway;
  const send = {
    plain: (text: string, rest: Rest, fields: object = {}, to = gateway) =>
      to.post<Ruled>("/application/search", {
        ...{ index, user_query: text, ...fields },
        search_request: plainBody(rest),
      }),
    hybrid: (text: string, rest: Rest, fields: object = {}, to = gateway) =>
      to.post<Ruled>("/application/hybrid-search", {
        ...{ index, search_query: text, ...fields },
        search_request_template: hybridBody(rest),
      }),
  };

  test.before(async () => {
    const settings = {
      indexes: [hybridIndex(index)],
      templates: [
        { name: "shop", search_request_template: { query: { match: { text: "[search_query]" } } }, params: {} },
      ],
      keys: [
        { name: "given", endpoints: ["search", "hybrid-search", "bulk"], raw_backend: "all" },
        { name: "templates", endpoints: ["search"], templates: ["shop"] },
      ] as never,
    };
    const options = { node: cluster.url, moreKeys: [KEYS.templates], settings };
    const API_KEYS = "key-1=given,key-2=templates";
    const ruled = { ...settings, has_rules: true };
    gateway = await startGateway({ ...options, settings: ruled, env: { API_KEYS, BUCKET } });
    without = await startGateway({ ...options, env: { API_KEYS } });
    const { mappings, settings: own } = HYBRID_MAPPING;
    const keyword = { type: "keyword" };
    const properties = { ...mappings.properties, color: keyword, shape: keyword };
    const written = documents.map(({ id, color, shape }, at) => ({
      ...{ id, doc: { text: `lamp n${at % 11}`, year: 1900 + at, color, shape } },
    }));
    await fillIndex(cluster, gateway, index, written, { settings: own, mappings: { properties } });
  });

  const facet = (own: boolean) => {
    const { color } = documents[39] as (typeof documents)[number];
    return { term: { color: own ? color : documents.find((one) => one.color !== color)?.color } };
  };
  const WORDS = { match: { text: { query: "lamp n6", _name: "words" } } };
  const PLACES: Readonly<Record<string, (one: object) => object>> = {
    must: (one) => ({ query: { bool: { must: [WORDS, one] } } }),
    should: (one) => ({ query: { bool: { must: WORDS, should: [one, one], minimum_should_match: 1 } } }),
    dis_max: (one) => ({ query: { dis_max: { queries: [{ bool: { must: [WORDS, one] } }] } } }),
    derived: (one) => ({
      query: { bool: { must: WORDS, filter: [one, { term: { era: "any" } }] } },
      derived: { era: { type: "keyword", script: { source: "emit('any')" } } },
    }),
    "one subquery": (one) => ({ query: { hybrid: { queries: [{ bool: { must: [WORDS, one] } }, WORDS] } } }),
  };
  for (const [place, bodyWith] of Object.entries(PLACES)) {
    test(`${cluster.version}: a pin must pass a facet in ${place}, and is shown as any other hit`, async () => {
      const kind = place === "one subquery" ? "hybrid" : "plain";
      const highlight = { fields: { text: {} } };
      for (const own of [true, false]) {
        const { status, body, text } = await send[kind]("pinned", { size: 3, highlight, ...bodyWith(facet(own)) });
        assert.is(status, 200, text);
        assert.is(body.degraded, undefined, text);
        const pin = body.search_response.hits.hits.find(({ _id }) => _id === "d39") as object | undefined;
        assert.is(pin !== undefined, own, text);
        if (!pin) continue;
        assert.match(JSON.stringify(pin), '"highlight":{"text":["<em>lamp</em> <em>n6</em>"]}');
        assert.match(JSON.stringify(pin), '"matched_queries":["words"]');
        assert.is(body.stages?.[0]?.outside, undefined, "the total counts a pin that the search finds");
      }
    });
  }

  test(`${cluster.version}: a pin that the search does not find is told as outside of the total`, async () => {
    const { body } = await send.plain("pinned", { size: 3, query: { match: { text: "n1" } } });
    assert.equal([body.stages[0]?.added, body.stages[0]?.outside], [1, 1]);
  });

  test(`${cluster.version}: no pin ignores a filter of the whole search`, async () => {
    const ignoring = { segments: ["vip"], filter: { ids: { values: ["d5", "d1"] } } };
    for (const kind of ["plain", "hybrid"] as const) {
      const { body, text } = await send[kind]("members", { size: 5 }, ignoring);
      assert.equal(idsOf(body).toSorted(), ["d1"], text);
      assert.is(body.search_response.hits.total.value, 1);
    }
  });

  for (const kind of ["plain", "hybrid"] as const) {
    test(`${cluster.version}: ${kind}: raises and lowers by a filter, and has something for the page`, async () => {
      const colorsOf = async (text: string) => {
        const { body } = await send[kind](text, { size: COUNT });
        return idsOf(body).map((id) => documents.find((one) => one.id === id)?.color);
      };
      assert.equal(new Set((await colorsOf("raise")).slice(0, 13)), new Set(["blue"]));
      assert.equal(new Set((await colorsOf("lower")).slice(-13)), new Set(["blue"]));
      const { body } = await send[kind]("the page", { size: 1 });
      assert.equal(body.rules, [{ name: "page", redirect: "/lamps", data: { banner: "Lamps", from: 1.5 } }]);
      const red = { filter: [{ term: { color: "red" } }] };
      assert.equal(namesOf((await send[kind]("red", red)).body), ["for-red"]);
      assert.equal(namesOf((await send[kind]("red", {})).body), []);
    });

    test(`${cluster.version}: ${kind}: filters that the cluster refuses are left out, hidden ids are not`, async () => {
      const { status, body } = await send[kind]("broken", { size: COUNT });
      assert.is(status, 200);
      const [degraded] = body.degraded.filter(({ stage }) => stage === "rules");
      assert.match(degraded?.reason ?? "", "refused");
      assert.is(idsOf(body).length, COUNT - 1);
      assert.not.ok(idsOf(body).includes("d1"));
      const wrong = await send[kind]("broken", { filter: [{ term: { year: "soon" } }] });
      assert.is(wrong.status, 422);
    });

    test(`${cluster.version}: ${kind}: pins tell what they changed; without ids there are none, and a sort stays`, async () => {
      const { body } = await send[kind]("pinned", { size: 3, _source: ["color"] });
      assert.is(idsOf(body)[1], "d39");
      assert.equal(body.search_response.hits.hits[1]?._source, { color: documents[39]?.color });
      const [stage] = body.stages.filter(({ name }) => name === "rules");
      assert.ok((stage?.added ?? 0) + (stage?.moved ?? 0) > 0);
      const line = gateway.log.map((text) => JSON.parse(text)).at(-1);
      assert.equal(line.query_attributes.rules, ["pinned"]);
      const sorted = await send[kind]("pinned", { size: 3, sort: [{ year: "asc" }] });
      assert.equal(idsOf(sorted.body), ["d0", "d1", "d2"]);
      if (kind === "hybrid") return;
      const bare = await send[kind]("pinned", { size: 3, stored_fields: "_none_" });
      assert.is(bare.status, 200);
      assert.is(bare.headers.get("x-degraded"), "rules");
    });

    test(`${cluster.version}: ${kind}: a rule for a segment is for requests that name it, and shows nothing hidden`, async () => {
      const everybody = await send[kind]("members", { size: COUNT });
      assert.equal([namesOf(everybody.body), "segments" in everybody.body], [["members"], false]);
      const { body } = await send[kind]("members", { size: COUNT }, { segments: ["new", "vip"] });
      assert.equal(
        [namesOf(body), body.segments],
        [
          ["for-vip", "members"],
          ["new", "vip"],
        ],
      );
      assert.is(idsOf(body)[1], "d39");
      assert.not.ok(idsOf(body).includes("d5"));
      const line = gateway.log.map((text) => JSON.parse(text)).at(-1);
      assert.equal(line.query_attributes.segments, ["new", "vip"]);
      for (const segments of [null, [], ["VIP"]])
        assert.equal(namesOf((await send[kind]("members", {}, { segments })).body), ["members"]);
    });
  }

  test(`${cluster.version}: a hybrid query of a plain search is changed, too`, async () => {
    const search_request = { size: COUNT, query: { hybrid: { queries: [{ match_all: {} }] } } };
    const found = await gateway.post<Ruled>("/application/search", { index, user_query: "broken", search_request });
    assert.is(found.status, 200, found.text);
    assert.not.ok(idsOf(found.body).includes("d1"));
    const pinned = await gateway.post<Ruled>("/application/search", { index, user_query: "pinned", search_request });
    assert.is(pinned.body.degraded, undefined, pinned.text);
  });

  test(`${cluster.version}: another text is searched for, in a template and in a body of the request's own`, async () => {
    const shop = { index, template: "shop", user_query: "typo" };
    const { body } = await gateway.post<Ruled>("/application/search", shop);
    assert.equal(body.rules, [{ name: "other-text", text: "n7" }]);
    assert.equal(idsOf(body).toSorted(), ["d18", "d29", "d7"]);
    assert.is(body.user_query, "typo");
    const search_request = { query: { match: { text: "typo" } } };
    const own = await gateway.post<Ruled>("/application/search", { index, user_query: "typo", search_request });
    assert.equal(idsOf(own.body).toSorted(), ["d18", "d29", "d7"]);
    assert.equal(own.body.search_request, search_request);
    const hybrid = await gateway.post<Ruled>("/application/hybrid-search", {
      ...{ index, search_query: "typo" },
      search_request_template: { query: { hybrid: { queries: [{ match: { text: "typo" } }] } } },
    });
    assert.equal(idsOf(hybrid.body).toSorted(), ["d18", "d29", "d7"]);
    assert.is(hybrid.body.degraded, undefined, hybrid.text);
    const near = { knn: { text_dense: { vector: "[text_dense]", k: 3 } } };
    for (const [queries, effects] of [
      [[near], []],
      [[{ match: { text: "TYPO" } }, near], ["only embeddings have the text of the rule"]],
    ] as const) {
      const { body, text } = await gateway.post<Ruled>("/application/hybrid-search", {
        ...{ index, search_query: "typo", search_request_template: { query: { hybrid: { queries } } } },
      });
      assert.equal([body.rules[0]?.text, (body.degraded ?? []).map(({ effect }) => effect)], ["n7", effects], text);
    }
  });

  test(`${cluster.version}: a draft is for requests that ask for it, and not for a key of a web page`, async () => {
    const { body } = await send.plain("page", { size: 1 }, { rule_set: "draft" });
    assert.equal(body.rules, [{ name: "next", data: { next: true } }]);
    assert.is(body.rule_set, "draft");
    const shop = { index, template: "shop", user_query: "page" };
    const headers = { "x-api-key": KEYS.templates };
    assert.equal(namesOf((await gateway.post<Ruled>("/application/search", shop, headers)).body), ["page"]);
    const asked = await gateway.post("/application/search", { ...shop, rule_set: "none" }, headers);
    assert.is(asked.status, 403);
    const none = await send.plain("page", {}, { rule_set: "draft" }, without);
    assert.equal([none.status, none.body.degraded[0]?.reason], [200, "the gateway reads no rules"]);
  });

  test(`${cluster.version}: a key of a web page and a part of several searches may name segments`, async () => {
    const shop = { index, template: "shop", user_query: "members", segments: ["vip"] };
    const headers = { "x-api-key": KEYS.templates };
    const page = await gateway.post<Ruled>("/application/search", shop, headers);
    assert.equal(namesOf(page.body), ["for-vip", "members"], page.text);
    const searches = [shop, { ...shop, segments: null }];
    const { body } = await gateway.post<{ results: Array<{ answer: Ruled }> }>("/application/multi-search", {
      searches,
    });
    assert.equal(
      body.results.map(({ answer }) => namesOf(answer)),
      [["for-vip", "members"], ["members"]],
    );
  });

  test(`${cluster.version}: rules that cannot be read are told, and the search goes on`, async () => {
    const lost = await startGateway({
      node: cluster.url,
      settings: { has_rules: true },
      env: { BUCKET: unique("absent") },
    });
    const { status, body } = await send.plain("pinned", { size: 3 }, {}, lost);
    assert.is(status, 200);
    assert.equal(body.degraded, [
      {
        ...{ stage: "rules", target: "search_response" },
        ...{ reason: "the document of rules cannot be read", effect: "the search is made without rules" },
      },
    ]);
  });

  test.after(async () => {
    await request(cluster, "DELETE", `/${index}`);
  });
}

test.after(stopStarted);

test.run();

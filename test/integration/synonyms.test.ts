import * as assert from "uvu/assert";
import type { GatewaySettings } from "../../lib/search/gateway/settings.ts";
import { documentBucket } from "../fixtures/document-bucket.ts";
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
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("synonyms");
await startUpstreams();

const CROWD = Array.from({ length: 31 }, (_, index) => `crowd${index}`).join(", ");
const FILES = {
  "all.txt": ["tv => television, flat screen", "zebra => giraffe", CROWD],
  "en.txt": ["sofa, couch"],
  "de.txt": ["sofa => kanapee"],
};
const SYNONYM_SETTINGS = {
  files: [{ file: "all.txt" }, { file: "en.txt", locale: "en" }, { file: "de.txt", locale: "de" }],
  default_locale: "en",
};
const KEYS = { limited: `${API_KEY}-limited`, templates: `${API_KEY}-templates` };

const TEXTS = {
  sofa: "a red sofa",
  couch: "a red couch",
  kanapee: "a red kanapee",
  tv: "a new tv",
  phrase: "a flat screen",
  shuffled: "a screen flat",
  lamp: "a red lamp",
};

interface Searched extends Json {
  stages: Array<{
    name: string;
    milliseconds: number;
    failed: boolean;
    alternatives: number;
    synonyms: Array<{ from: string; to: string[] }>;
  }>;
}

const hitsOf = ({ search_response }: Json) =>
  search_response.hits.hits.map(({ _id, _score }) => [_id, _score] as const);
const idsOf = (body: Json) => hitsOf(body).map(([id]) => id);

const BUCKET = await documentBucket({ synonyms: FILES });

for (const cluster of await clusters()) {
  const index = uniqueIndex("synonyms");
  const alias = `${index}-alias`;
  let gateway: TestGateway;
  const plain = (query: object, fields: object = {}, { name = alias, key = API_KEY, rest = {} } = {}) =>
    gateway.post<Searched>(
      "/application/search",
      { index: name, search_request: { query, ...rest }, ...fields },
      { "x-api-key": key },
    );
  const hybrid = (query: object, fields: object = {}) =>
    gateway.post<Searched>("/application/hybrid-search", {
      index: alias,
      search_query: "red sofa",
      search_request_template: { query: { hybrid: { queries: [query] } } },
      ...fields,
    });
  const direct = async (query: object) => {
    const { body } = await request<Json["search_response"]>(cluster, "POST", `/${index}/_search`, { query });
    return hitsOf({ search_response: body } as Json);
  };

  test.before(async () => {
    const template: GatewaySettings["templates"][number] = {
      name: "shop",
      search_request_template: { query: { match: { text: "[params.words]" } } },
      params: {},
      parameters: [{ name: "words", type: "text" }],
    };
    const entry = { ...hybridIndex(index), synonyms: SYNONYM_SETTINGS };
    gateway = await startGateway({
      node: cluster.url,
      moreKeys: Object.values(KEYS),
      env: { API_KEYS: "key-1=given,key-2=limited,key-3=templates", BUCKET },
      settings: {
        indexes: [entry],
        templates: [template],
        keys: [
          { name: "given", endpoints: ["search", "hybrid-search"], raw_backend: "all" },
          { name: "limited", endpoints: ["search", "hybrid-search"], indexes: [alias] },
          { name: "templates", endpoints: ["search"], indexes: [alias], templates: ["shop"] },
        ],
      },
    });
    // A search waits a second for the lists, which may be too short on a busy machine.
    assert.equal((await gateway.probe()) as object[], [
      { kind: "cluster", name: "", state: "works" },
      ...["dense_large_en_v1_5", "sparse_v3"].map((name) => ({ kind: "model", name, state: "works" })),
      { kind: "document", name: "synonyms", state: "works" },
    ]);
    const { settings, mappings } = HYBRID_MAPPING;
    const properties = { ...mappings.properties, unordered: { type: "text", index_options: "freqs" } };
    await request(cluster, "PUT", `/${index}`, { settings, mappings: { properties } });
    await request(cluster, "PUT", `/${index}/_alias/${alias}`);
    for (const [id, text] of Object.entries(TEXTS)) {
      await request(cluster, "PUT", `/${index}/_doc/${id}`, { text, unordered: text });
    }
    await request(cluster, "POST", `/${index}/_refresh`);
  });

  test(`${cluster.version}: finds a document with a synonym with the same score`, async () => {
    const { body } = await plain({ match: { text: "sofa" } });
    assert.equal(idsOf(body).sort(), ["couch", "sofa"]);
    const [[, first] = [], [, second] = []] = hitsOf(body);
    assert.is(first, second);
    assert.equal(
      hitsOf(body),
      await direct({ terms: { text: ["sofa", "couch"] } }).then((hits) => hits.map(([id]) => [id, first])),
    );
    const both = await plain({ match: { text: { query: "red SOFA", operator: "and", boost: 2 } } });
    assert.equal(idsOf(both.body).sort(), ["couch", "sofa"]);
  });

  test(`${cluster.version}: finds a phrase in its order, and what a person would send gives the same`, async () => {
    const clauses = {
      match: { text: { query: "tv", _name: "words" } },
      multi_match: { query: "tv", fields: ["text"] },
      match_phrase: { text: "tv" },
    };
    for (const [kind, clause] of Object.entries(clauses)) {
      const { body } = await plain({ [kind]: clause });
      assert.equal(idsOf(body).sort(), ["phrase", "tv"], kind);
    }
    const by = (text: string) => ({ match: { text } });
    const phrase = { bool: { must: [by("new flat screen")], filter: [{ match_phrase: { text: "flat screen" } }] } };
    const oracle = { dis_max: { queries: [by("new tv"), by("new television"), phrase] } };
    const nested = (clause: object) => ({
      bool: { should: [clause, by("lamp")], filter: [{ exists: { field: "text" } }] },
    });
    const { body } = await plain(nested(by("new tv")), { explain_stages: true });
    assert.equal(hitsOf(body), await direct(nested(oracle)));
    const [reported] = body.stages;
    assert.ok(reported);
    const { milliseconds: _, ...stage } = reported;
    assert.equal(stage, {
      ...{ name: "synonyms", moved: 0, added: 0, hidden: 0, alternatives: 2, failed: false, moves: [] },
      synonyms: [{ from: "tv", to: ["television", "flat screen"] }],
    });
    assert.is(body.degraded, undefined);
  });

  test(`${cluster.version}: uses the lists of a locale, of a hybrid search, and none if the request says so`, async () => {
    const query = { match: { text: "sofa" } };
    for (const send of [plain, hybrid]) {
      assert.equal(idsOf((await send(query)).body).sort(), ["couch", "sofa"]);
      assert.equal(idsOf((await send(query, { locale: "de-AT" })).body).sort(), ["kanapee", "sofa"]);
      assert.equal(idsOf((await send(query, { locale: "fr" })).body), ["sofa"]);
      const { body } = await send(query, { synonyms: false, explain_stages: true });
      assert.equal([idsOf(body), body.stages, body.synonyms], [["sofa"], [], false]);
    }
    assert.is((await plain(query, { locale: "de_AT" })).status, 400);
  });

  test(`${cluster.version}: a filter stays a filter, for a limited key and one with templates too`, async () => {
    const filtered = { bool: { must: { match: { text: "red" } }, filter: { match: { text: "sofa" } } } };
    assert.equal(idsOf((await plain(filtered, {}, { key: KEYS.limited })).body), ["sofa"]);
    const { body } = await plain({ match: { text: "sofa" } }, {}, { key: KEYS.limited });
    assert.equal(idsOf(body).sort(), ["couch", "sofa"]);
    const named = { index: alias, template: "shop", params: { words: "sofa" } };
    const shop = await gateway.post("/application/search", named, { "x-api-key": KEYS.templates });
    assert.equal(idsOf(shop.body).sort(), ["couch", "sofa"], shop.text);
  });

  test(`${cluster.version}: searches without synonyms, and says so, if the cluster refuses them`, async () => {
    const crowdedClauses = [
      { match: { text: "tv" } },
      ...Array.from({ length: 40 }, (_, at) => ({ match: { text: `crowd0 x${at}` } })),
    ];
    const crowded = { bool: { should: crowdedClauses } };
    for (const query of [{ match: { unordered: "tv" } }, crowded]) {
      for (const send of [plain, hybrid]) {
        const { status, body, text, headers } = await send(query, { explain_stages: true });
        assert.is(status, 200, text);
        assert.equal(idsOf(body), ["tv"]);
        assert.is(headers.get("x-degraded"), "synonyms");
        const [stage] = body.stages;
        assert.equal([stage?.failed, stage?.alternatives, stage?.synonyms], [true, 0, []]);
      }
    }
    const wrong = await plain({ match: { text: "sofa" } }, {}, { rest: { sort: [{ absent: "asc" }] } });
    assert.is(wrong.body.error.code, "rejected_by_cluster");
  });

  test(`${cluster.version}: gives the candidates of a hybrid search with synonyms`, async () => {
    const template = { query: { hybrid: { queries: [{ match: { text: "sofa" } }] } } };
    const asked = { index: alias, search_query: "sofa", search_request_template: template };
    const count = async (fields: object) => {
      const { body } = await gateway.post<{ subqueries: Array<{ shards: Array<{ hits: unknown[] }> }> }>(
        "/application/hybrid-search/candidates",
        { ...asked, ...fields },
      );
      return body.subqueries[0]?.shards[0]?.hits.length;
    };
    assert.equal([await count({}), await count({ synonyms: false })], [2, 1]);
  });

  test(`${cluster.version}: logs how many clauses were added, and not for which words`, async () => {
    const { headers } = await plain({ match: { text: "sofa" } });
    const line = gateway.log.find((one) => one.includes(headers.get("x-query-id") ?? "none")) ?? "{}";
    const [stage] = JSON.parse(line).query_attributes.stages;
    assert.equal([stage.name, stage.alternatives, stage.synonyms], ["synonyms", 1, undefined]);
  });

  test.after(() => request(cluster, "DELETE", `/${index}`).then(() => undefined));
}

test.after(stopStarted);

test.run();

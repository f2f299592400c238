import * as assert from "uvu/assert";
import type { KeyRules } from "../../../../lib/platform/http/access.ts";
import { mapping, settings } from "../../../../lib/search/access/bodies.ts";
import { nativeRefusal } from "../../../../lib/search/access/native.ts";
import { queryRefusal } from "../../../../lib/search/access/query.ts";
import { rightsOf } from "../../../../lib/search/access/rights.ts";
import { denyRules, patternRule } from "../../../../lib/search/raw/deny.ts";
import { suite } from "../../../suite.ts";
import { callOf } from "./native-call.ts";

const test = suite("calls that a project lists, and numbers that end a node");

const FILE = { analysis: { filter: { s: { type: "synonym", synonyms_path: "/etc/passwd" } } } };

for (const [rules, target, body] of [
  [["recommended", "PUT /*"], "PUT /x", { settings: FILE }],
  [["recommended", "PUT /*"], "PUT /x/_settings", FILE],
  [["* /*"], "PUT /x/_settings", { "index.max_result_window": 2_000_000_000 }],
  [["* /*"], "PUT /x/_settings", { "index.default_pipeline": "p" }],
  [
    ["POST /*/_analyze"],
    "POST /x/_analyze",
    { filter: [{ type: "synonym", synonyms_path: "/etc/passwd" }], text: "a" },
  ],
  [["* /_index_template/*"], "PUT /_index_template/t", { index_patterns: ["t*"], template: { settings: FILE } }],
  [["PUT /*/_clone/*"], "PUT /x/_clone/y", { settings: FILE }],
  [["POST /_msearch*"], "POST /_msearch", '{"index":"x"}\n{}\n'.repeat(500)],
  [
    ["POST /*/_rank_eval"],
    "POST /x/_rank_eval",
    { templates: [{ id: "t", template: { source: "{}" } }], requests: [] },
  ],
  [["POST /_*"], "POST /_reindex", { source: { index: "x", remote: { host: "http://h" } }, dest: { index: "y" } }],
  [["* /*"], "DELETE /_search/scroll", { scroll_id: "_all" }],
] as const) {
  test(`a list with ${rules.join(", ")} lets no ${target} through whose body is refused without it`, () => {
    const allowed = {
      recommended: (rules as readonly string[]).includes("recommended"),
      added: rules.filter((rule) => rule !== "recommended").map(patternRule),
    };
    const key: KeyRules = { name: "k", endpoints: ["raw-backend"], raw_backend: [...rules] };
    assert.ok(nativeRefusal(key, callOf(target, body), allowed), JSON.stringify(body).slice(0, 200));
  });
}

test("a list lets through what it names, and only that", () => {
  const key: KeyRules = { name: "k", endpoints: ["raw-backend"], raw_backend: ["GET /_nodes/stats"] };
  const ruleOf = (target: string) =>
    nativeRefusal(key, callOf(target), { recommended: false, added: [patternRule("GET /_nodes/stats")] })?.rule;
  assert.equal(["GET /_nodes/stats", "POST /_nodes/stats", "GET /_nodes", "GET /x/_search"].map(ruleOf), [
    undefined,
    "endpoint",
    "endpoint",
    "endpoint",
  ]);
});

test("numbers for which the cluster allocates at once, or tries exponentially many phrases, are refused", () => {
  const ruleOf = (search: object, key = {}) => queryRefusal(search, rightsOf(key))?.rule;
  const within = (d: object) => ({ aggs: { h: { terms: { field: "n" }, aggs: { d } } } });
  const phrase = (more: object, size = 5) => ({
    suggest: { text: "a", s: { phrase: { field: "t", ...more, direct_generator: [{ field: "t", size }] } } },
  });
  const highlight = (number_of_fragments: number) => ({ highlight: { fields: { t: { number_of_fragments } } } });
  for (const search of [
    within({ serial_diff: { buckets_path: "_count", lag: 2_147_483_646 } }),
    within({ moving_avg: { buckets_path: "_count", window: 2_000_000_000 } }),
    within({ moving_avg: { buckets_path: "_count", predict: 2_000_000_000 } }),
    highlight(2_000_000_000),
    phrase({ max_errors: 10 }),
    phrase({}, 10_000),
  ]) {
    assert.is(ruleOf(search), "limit", JSON.stringify(search));
    assert.is(ruleOf(search, { raw_backend: "all" }), undefined);
  }
  for (const search of [
    within({ serial_diff: { buckets_path: "_count", lag: 7 } }),
    highlight(5),
    phrase({ max_errors: 2 }),
  ])
    assert.is(ruleOf(search), undefined, JSON.stringify(search));
  const rated = { query: { bool: { should: Array.from({ length: 11 }, () => ({ term: { a: { value: "b" } } })) } } };
  const requests = Array.from({ length: 100 }, (_, id) => ({ id: String(id), request: rated, ratings: [] }));
  assert.is(ruleOf({ requests }), undefined, "each search of _rank_eval has its own clauses");
});

test("defaults and fields of ordinary names are no numbers over a limit", () => {
  const reads = (reader: typeof settings, body: object) =>
    reader({ text: JSON.stringify(body), rights: rightsOf({}), hasIndex: true })?.rule;
  assert.is(reads(settings, { "index.number_of_replicas": null }), undefined);
  assert.is(reads(mapping, { properties: { method: { type: "keyword", ignore_above: 32_766 } } }), undefined);
  const vector = { type: "knn_vector", dimension: 3, method: { parameters: { ef_construction: 1e9 } } };
  assert.is(reads(mapping, { properties: { v: vector } }), "setting");
});

test("deny: recommended reads the indexes that plugins name, and refuses templates that hide a query", () => {
  const denied = (target: string, body: unknown) => denyRules("recommended")(callOf(target, body)) !== undefined;
  for (const [target, body] of [
    ["POST /_plugins/_transform/_preview", { transform: { source_index: ".secret", target_index: "x" } }],
    ["PUT /_plugins/_rollup/jobs/x", { rollup: { source_index: ".secret" } }],
    ["POST /_plugins/_ml/_train_predict/kmeans", { input_query: {}, input_index: ["a", ".secret"] }],
    ["POST /x/_search/template", { source: '{"query":{}}', params: {} }],
    ["POST /_render/template", '{"\\u0073ource":"{}"}'],
  ] as const) {
    assert.ok(denied(target, body), target);
  }
  assert.not.ok(denied("POST /_plugins/_transform/_preview", { transform: { source_index: "a", target_index: "x" } }));
  assert.not.ok(denied("POST /x/_search/template", { id: "stored", params: {} }));
});

test("deny: recommended refuses a search of every index, but not one that has its indexes from where it was opened", () => {
  const denied = (target: string, body: unknown) => denyRules("recommended")(callOf(target, body)) !== undefined;
  const query = { match_all: {} };
  assert.equal(
    [
      denied("POST /_search", { query }),
      denied("POST /_search", undefined),
      denied("POST /_count", { query }),
      denied("POST /_search", { query, pit: { id: "p" } }),
      denied("POST /_search/scroll", { scroll_id: "s" }),
      denied("POST /x/_search", { query }),
    ],
    [true, true, true, false, false, false],
  );
});

test("an administration key may give a new index the settings of the one that it copies", () => {
  const refused = (given: object, indexes?: string[]) =>
    nativeRefusal(
      { name: "k", endpoints: ["administration"], ...(indexes && { indexes }) },
      callOf("PUT /books-2", { settings: given, mappings: {} }),
      { recommended: true, added: [] },
    )?.rule;
  for (const indexes of [undefined, ["books-*"]]) {
    for (const given of [
      { "index.number_of_shards": "12" },
      { "index.hidden": "true" },
      { "index.routing.allocation.include._tier": "warm" },
      { "index.routing_partition_size": "2" },
      { "index.plugins.index_state_management.policy_id": "p" },
    ]) {
      assert.is(refused(given, indexes), undefined, JSON.stringify(given));
    }
  }
  assert.is(refused({ "index.search.default_pipeline": "p" }), undefined);
  assert.is(refused({ "index.search.default_pipeline": "p" }, ["books-*"]), "setting");
});

test.run();

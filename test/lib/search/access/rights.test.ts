import * as assert from "uvu/assert";
import { DEFAULT_LIMITS, type KeyRules } from "../../../../lib/platform/http/access.ts";
import type { ApiError } from "../../../../lib/platform/http/error.ts";
import { type BodyReader, bulk, settings, update } from "../../../../lib/search/access/bodies.ts";
import { parameterLimit } from "../../../../lib/search/access/limits.ts";
import { queryRefusal, searchedIndexes } from "../../../../lib/search/access/query.ts";
import { rightsOf } from "../../../../lib/search/access/rights.ts";
import { scriptRefusal } from "../../../../lib/search/access/scripts.ts";
import { scriptedSearches } from "../../../fixtures/access-scripts.ts";
import { suite } from "../../../suite.ts";

const test = suite("scripts and limits");

const ruleOf = (search: unknown, key: Partial<KeyRules> = {}) => queryRefusal(search, rightsOf(key))?.rule;

test("a limited key has the default limits and no scripts, and any other key only the limits that it lists", () => {
  assert.equal(rightsOf({}), { grant: undefined, limited: true, scripts: false, limits: DEFAULT_LIMITS });
  assert.equal(rightsOf({ raw_backend: ["recommended"], scripts: true, limits: { window: 5 } }), {
    grant: undefined,
    limited: true,
    scripts: true,
    limits: { ...DEFAULT_LIMITS, window: 5 },
  });
  assert.equal(rightsOf({ raw_backend: "all" }), { grant: undefined, limited: false, scripts: true, limits: {} });
  assert.equal(rightsOf({ raw_backend: "all", scripts: false, limits: { window: 5 } }), {
    grant: undefined,
    limited: false,
    scripts: false,
    limits: { window: 5 },
  });
});

test("numbers in a query string are limited as those in a body are, and auto or nothing is left to the cluster", () => {
  const refused = (name: string, value: string) =>
    parameterLimit(name, value, rightsOf({ limits: { window: 50, searches: 4 } }))?.rule;
  for (const [name, most] of [
    ["scroll_size", 50],
    ["slices", 4],
    ["max_concurrent_searches", 4],
  ] as const) {
    assert.is(refused(name, String(most)), undefined, name);
    assert.is(refused(name, String(most + 1)), "limit", name);
    assert.is(refused(name, "many"), "limit", name);
    for (const value of ["auto", ""]) assert.is(refused(name, value), undefined, `${name}=${value}`);
  }
  assert.is(refused("requests_per_second", "1000000"), undefined);
});

test("scripts in every place of a search are refused to a key without the right to them", () => {
  for (const [context, search] of scriptedSearches("stored")) {
    assert.is(ruleOf(search), "script", `${context}: ${JSON.stringify(search)}`);
    assert.is(ruleOf(search, { scripts: true }), undefined, `${context}: ${JSON.stringify(search)}`);
  }
});

test("a text under script is a field's value in a field query, and nowhere else", () => {
  assert.is(ruleOf({ query: { term: { script: "x" } } }), undefined);
  assert.is(ruleOf({ query: { match: { script: { query: "x" } } } }), undefined);
  assert.is(ruleOf({ query: { terms: { script: "x" } } }), "script");
  assert.is(ruleOf({ query: { match: { script: { script: "x" } } } }), "script");
  assert.is(ruleOf({ query: { other: { script: "x" } } }), "script");
});

test("processors that call a model or another service are refused, and the others are not", () => {
  const pipeline = (processor: object) => ({ search_pipeline: { response_processors: [processor] } });
  for (const processor of [
    { ml_inference: { model_id: "m" } },
    { rerank: { ml_opensearch: { model_id: "m" } } },
    { retrieval_augmented_generation: { model_id: "m" } },
    { personalize_search_ranking: {} },
    { a_later_one: {} },
  ]) {
    assert.is(ruleOf(pipeline(processor)), "script", JSON.stringify(processor));
  }
  assert.is(ruleOf(pipeline({ rename_field: { field: "a", target_field: "b" } })), undefined);
  assert.is(ruleOf(pipeline({ rerank: { by_field: { target_field: "n" } } })), undefined);
  assert.is(ruleOf({ query: { agentic: { query_text: "x" } } }), "script");
});

test("a value that a caller gives for a template may hold no script, wherever the template puts it", () => {
  const values = (value: unknown) => scriptRefusal({ value }, rightsOf({}))?.rule;
  assert.is(values({ script: { script: "x" } }), "script");
  assert.is(values([{ term: { script: "x" } }]), "script");
  assert.is(values({ a: { term: { script: "1" } } }), "script");
  assert.is(values({ "a.script.source": "x" }), "script");
  for (const value of ["script", 5, null, ["a"], { term: { genre: "x" } }]) assert.is(values(value), undefined);
});

test("the operator's template may hold a script that the caller may not send", () => {
  const key: KeyRules = { name: "shop", endpoints: ["hybrid-search"] };
  const search = { query: { script: { script: { source: "true", params: { year: 5 } } } } };
  const ruleFor = (values?: object) => {
    try {
      searchedIndexes(key, "books", search, values);
      return "ok";
    } catch (error) {
      return (error as ApiError).shown?.rule;
    }
  };
  assert.is(ruleFor(), "script");
  assert.is(ruleFor({ year: 5 }), "ok");
  assert.is(ruleFor({ year: { script: "x" } }), "script");
});

test("a limit's message names it, its value and the setting", () => {
  const found = queryRefusal({ size: 10_001 }, rightsOf({}));
  assert.equal(found, {
    rule: "limit",
    reason: "from + size is 10,001; the limit of this key is 10,000 (limits.window in api.yaml)",
  });
});

test("numbers over a limit are refused in every spelling that the cluster reads", () => {
  for (const size of ["10001", " 10001 ", "10001d", "0x1p30", "1e9", ".5e9", "Infinity", "+10001", "٩٩٩٩٩"]) {
    assert.is(ruleOf({ size }), "limit", String(size));
    assert.is(ruleOf({ aggs: { a: { terms: { field: "f", size } } } }), "limit", String(size));
  }
  for (const size of [10_000, "10000", 9_999.5, "XL", "", null, true])
    assert.is(ruleOf({ size }), undefined, String(size));
});

test("k of a vector query counts whatever its field is called, and a document's field does not", () => {
  for (const field of ["v", "term", "doc"])
    assert.is(ruleOf({ query: { knn: { [field]: { vector: [1], k: 10_001 } } } }), "limit");
  const document = { size: 99_999, k: 5 };
  assert.is(ruleOf({ query: { percolate: { field: "q", document } } }), undefined);
  assert.is(ruleOf({ query: { term: { size: 99_999 } } }), undefined);
});

test("clauses count in lists, in objects and inside wrapper", () => {
  const key = { limits: { clauses: 4 } };
  const term = { term: { f: "x" } };
  const wrapper = {
    wrapper: { query: Buffer.from(JSON.stringify({ bool: { should: [term, term] } })).toString("base64") },
  };
  assert.is(ruleOf({ query: { bool: { should: [term, term, term] } } }, key), undefined);
  assert.is(ruleOf({ query: { bool: { should: [term, term, term, term] } } }, key), "limit");
  assert.is(ruleOf({ query: { bool: { must: { bool: { must: { bool: { must: term } } } } } } }, key), "limit");
  assert.is(ruleOf({ query: { bool: { should: [term, wrapper] } } }, key), "limit");
});

test("a histogram has a known range, an interval of a day or only buckets with documents", () => {
  const of = (kind: string, more: object) => ruleOf({ aggs: { a: { [kind]: { field: "f", ...more } } } });
  const bounds = (min: unknown, max: unknown) => ({ hard_bounds: { min, max } });
  const july = bounds("2026-07-01", "2026-08-01");
  for (const [kind, more, rule] of [
    ["histogram", { interval: 1e-7 }, "limit"],
    ["histogram", { interval: 1e-7, min_doc_count: 0 }, "limit"],
    ["histogram", { interval: 1, ...bounds(null, null) }, "limit"],
    ["histogram", { interval: 1, hard_bounds: {} }, "limit"],
    ["histogram", { interval: 1, ...bounds(0, 9), extended_bounds: { min: 0, max: 1e15 } }, "limit"],
    ["histogram", { interval: "5", ...bounds(0, 50_000) }, undefined],
    ["histogram", { interval: 1e-7, min_doc_count: 1 }, undefined],
    ["histogram", { query: "x" }, undefined],
    ["date_histogram", { fixed_interval: "1ms" }, "limit"],
    ["date_histogram", { calendar_interval: "1m" }, "limit"],
    ["date_histogram", { interval: "23h" }, "limit"],
    ["date_histogram", { fixed_interval: "1h", ...bounds("now-900d", "now") }, "limit"],
    ["date_histogram", { calendar_interval: "1M", extended_bounds: { min: "-2900000-01-01", max: 0 } }, "limit"],
    ["date_histogram", { calendar_interval: "1M" }, undefined],
    ["date_histogram", { fixed_interval: "30d", extended_bounds: { min: "now-90d/d", max: "now" } }, undefined],
    ["date_histogram", { fixed_interval: "1h", ...july }, undefined],
    ["date_histogram", { fixed_interval: "1s", ...july }, "limit"],
  ] as const) {
    assert.is(of(kind, more), rule, JSON.stringify([kind, more]));
  }
  const composite = { composite: { sources: [{ a: { histogram: { field: "f", interval: 1e-7 } } }] } };
  assert.is(ruleOf({ aggs: { a: composite } }), undefined);
  assert.is(ruleOf({ aggs: { composite: { histogram: { field: "f", interval: 1e-7 } } } }), "limit");
  assert.is(ruleOf({ aggs: { a: { histogram: { field: "f", interval: 1e-7 } } } }, { raw_backend: "all" }), undefined);
});

const reads = (reader: BodyReader, text: string, key: Partial<KeyRules> = {}) =>
  reader({ text, rights: rightsOf(key), hasIndex: true })?.rule;

test("an update is a script in every spelling and encoding, and its document may hold anything", () => {
  const scripted = JSON.stringify({ script: { source: "x" } });
  const action = '{"update":{"_id":"1"}}\n';
  for (const text of [scripted, '{"script":"x"}', '{"doc":{},"\\u0073cript":"x"}']) {
    assert.is(reads(update, text), "script", text);
    assert.is(reads(update, text, { scripts: true }), undefined, text);
    assert.is(reads(bulk, `${action}${text}\n`), "script", text);
    assert.is(
      reads(bulk, `{"delete":{"_id":"2"}}\n{"index":{"_id":"1"}}\n${text}\n${action}${text}\n`),
      "script",
      text,
    );
    assert.is(reads(bulk, `{"index":{"_id":"1"}}\n${text}\n`), undefined, text);
  }
  // The cluster accepts comments, and detects UTF-16.
  assert.is(reads(update, `/* */${scripted}`), "body");
  assert.is(reads(update, Buffer.from(scripted, "utf16le").toString("utf8")), "body");
  assert.is(reads(update, '{"script":null,"script":"x"}'), "body");
  assert.is(reads(update, '{"doc":{"script":{"source":"x"}}}'), undefined);
});

test("settings of analysis and similarity may hold no script, nested or dotted", () => {
  for (const body of [
    { "index.similarity.s.weight_script.source": "1" },
    { index: { analysis: { filter: { f: { "script.id": "s" } } } } },
    { analysis: { filter: { f: { script: { source: "true" } } } } },
  ]) {
    assert.is(reads(settings, JSON.stringify(body)), "script", JSON.stringify(body));
    assert.is(reads(settings, JSON.stringify(body), { scripts: true }), undefined);
  }
  assert.is(
    reads(settings, '{"analysis":{"analyzer":{"script":{"type":"custom","filter":["lowercase"]}}}}'),
    undefined,
  );
});

test.run();

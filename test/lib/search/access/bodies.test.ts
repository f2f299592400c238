import fc from "fast-check";
import * as assert from "uvu/assert";
import { aliasActions, bulk, multiSearch, openIds } from "../../../../lib/search/access/bodies.ts";
import { queryRefusal, strictJson } from "../../../../lib/search/access/query.ts";
import { rightsOf } from "../../../../lib/search/access/rights.ts";
import { suite } from "../../../suite.ts";

const test = suite("bodies that name indexes");

test("reads JSON without duplicate keys, whatever its strings contain", () => {
  const strings = fc.string({ unit: fc.constantFrom('"', "\\", ":", "{", ",", "a", "\n", "é") });
  const values = fc.letrec((tie) => ({
    value: fc.oneof(
      strings,
      fc.integer(),
      fc.constant(null),
      fc.array(tie("value")),
      fc.dictionary(strings, tie("value"), { noNullPrototype: true }),
    ),
  })).value;
  fc.assert(
    fc.property(values, fc.constantFrom(0, 1, 2), (value, indent) => {
      assert.equal(strictJson(JSON.stringify(value, null, indent)), { value });
    }),
  );
});

test("an action on aliases names its indexes, and an alias that is no other's, in each spelling", () => {
  const ruleOf = (action: object) => {
    const text = JSON.stringify({ actions: [action] });
    return aliasActions({ text, rights: rightsOf({}), hasIndex: false } as never)?.rule;
  };
  assert.is(ruleOf({ add: { index: "shop", alias: "live" } }), undefined);
  assert.is(ruleOf({ remove: { indices: ["shop"], aliases: ["live"] } }), undefined);
  assert.is(ruleOf({ add: { alias: "live" } }), "every-index");
  assert.is(ruleOf({ remove_index: { index: "shop" } }), "alias");
  const named = [{ alias: "-live" }, { aliases: ["live", "-live"] }, { alias: ".live" }, { aliases: ".live" }];
  const rules = named.map((names) => ruleOf({ add: { index: "shop", ...names } }));
  assert.ok(
    rules.every((rule) => rule !== undefined),
    JSON.stringify(rules),
  );
  assert.is(ruleOf({ add: { index: "shop", alias: 1 } }), "body");
  assert.is(
    ruleOf({ add: { index: ".kibana", alias: "live" } }),
    ruleOf({ add: { indices: [".kibana"], alias: "live" } }),
  );
  assert.ok(ruleOf({ add: { index: ".kibana", alias: "live" } }));
});

test("indices_boost names indexes, of which a key needs a grant", () => {
  const ruleOf = (boosts: unknown) => queryRefusal({ indices_boost: boosts }, rightsOf({ indexes: ["shop"] }))?.rule;
  assert.is(ruleOf([{ shop: 2 }]), undefined);
  assert.is(ruleOf({ shop: 2 }), undefined);
  for (const boosts of [[{ shop: 2 }, { other: 1 }], { other: 2 }]) assert.is(ruleOf(boosts), "index");
});

for (const [name, search] of [
  ["window", { from: 400, size: 101 }],
  ["window", { query: { knn: { v: { vector: [1], k: 501 } } } }],
  ["rescore_window", { rescore: { window_size: 501, query: { rescore_query: { match_all: {} } } } }],
  ["aggregation_size", { aggs: { a: { terms: { field: "b", shard_size: 501 } } } }],
] as const) {
  test(`${JSON.stringify(search)} is over a limit of 500 for ${name}`, () => {
    const ruleOf = (limit: number) => queryRefusal(search, rightsOf({ limits: { [name]: limit } }))?.rule;
    assert.equal([ruleOf(500), ruleOf(501)], ["limit", undefined]);
  });
}

test("does not read JSON that two parsers may read differently", () => {
  for (const text of [
    '{"a":1,"a":2}',
    '{"a":{"b":1,"b":2}}',
    '[{"a":1},{"b":":","b":"\\\\"}]',
    '{"a":1,"\\u0061":2}',
    '{"a\\"":1,"a\\"":2}',
    '{"a":1 /* "b":2 */}',
    '{"a":1}{"a":1}',
    "",
  ]) {
    assert.is(strictJson(text), undefined, text);
  }
});

test("keeps one number of a long array but all of a string, and reads what follows", () => {
  const vector = Array.from({ length: 1_024 }, (_, at) => Math.sin(at));
  const text = JSON.stringify(vector);
  for (const indent of [0, 2]) {
    const body = { a: { vector }, "b:": [vector, [vector]], [text]: text, index: "c" };
    const short = { a: { vector: [0] }, "b:": [[0], [[0]]], [text]: text, index: "c" };
    assert.equal(strictJson(JSON.stringify(body, null, indent)), { value: short });
  }
  assert.is(strictJson(`{"a":${text},"a":1}`), undefined);
  assert.is(strictJson(`{"a":${text},"b":${text}`), undefined);
});

/** Returns whether a `_bulk` body is allowed for the index `products`. */
const passes = (...lines: string[]) =>
  bulk({
    text: lines.map((line) => `${line}\n`).join(""),
    rights: rightsOf({ indexes: ["products"] }),
    hasIndex: false,
  }) === undefined;

test("an action of _bulk gets the same verdict in every spelling, at every position", () => {
  const spellings = [
    (action: string, name: string) => `{"${action}":{"_index":"${name}","_id":"1"}}`,
    (action: string, name: string) => `{"${action}":{"_index":"${name}"}}`,
    (action: string, name: string) => ` { "${action}" : { "_index" : "${name}", "_id" : "1" } }`,
    (action: string, name: string) => `{"${action}":{"_id":"1","_index":"${name}"}}`,
    (action: string, name: string) => `{"${action}":{"_index":"${name.replace("o", "\\u006f")}"}}`,
  ];
  const documentOf = (action: string) => (action === "delete" ? [] : ['{"_index":"orders"}']);
  for (const spell of spellings) {
    for (const action of ["index", "create", "update", "delete"]) {
      const good = [spell(action, "products"), ...documentOf(action)];
      const bad = [spell(action, "orders"), ...documentOf(action)];
      assert.ok(passes(...good, ...good), good[0]);
      assert.not(passes(...good, ...bad), bad[0]);
      assert.not(passes(...bad, ...good), bad[0]);
    }
  }
});

test("a line that looks like a plain action but holds more is refused", () => {
  for (const line of [
    '{"index":{"_index":"products","_id":"1","_index":"orders"}}',
    '{"index":{"_index":"products"},"delete":{"_index":"orders"}}',
    '{"index":{"_index":"products","pipeline":"p"}}',
    '{"upsert":{"_index":"products"}}',
    '{"index":{"_index":""}}',
    '{"index":{"_index":"products","index":"orders"}}',
    '{"index":{"_index":"products","_type":"x"}}',
  ]) {
    assert.not(passes(line, "{}"), line);
  }
});

test("an action of _bulk may have every member that the cluster reads", () => {
  const numbers = { version: 1, if_seq_no: 1, if_primary_term: 1, retry_on_conflict: 2 };
  const target = {
    _index: "products",
    _id: "1",
    routing: "a",
    version_type: "external",
    require_alias: true,
    ...numbers,
  };
  assert.ok(passes(JSON.stringify({ update: { ...target, _source: ["a"] } }), "{}"));
  assert.ok(passes(JSON.stringify({ index: { ...target, op_type: "create" } }), "{}"));
});

/** Returns the rule that refuses a search of `_msearch` with a header. */
const ruleOf = (header: object) =>
  multiSearch({ text: `${JSON.stringify(header)}\n{}\n`, rights: rightsOf({}), hasIndex: false })?.rule;

test("a header of _msearch has each member in one spelling, either of the cluster's", () => {
  const index = "products";
  for (const [snake, camel, value] of [
    ["search_type", "searchType", "query_then_fetch"],
    ["ccs_minimize_roundtrips", "ccsMinimizeRoundtrips", true],
    ["request_cache", "requestCache", true],
    ["expand_wildcards", "expandWildcards", "open"],
    ["ignore_unavailable", "ignoreUnavailable", true],
    ["allow_no_indices", "allowNoIndices", true],
    ["ignore_throttled", "ignoreThrottled", true],
  ] as const) {
    assert.is(ruleOf({ index, [snake]: value }), undefined, snake);
    assert.is(ruleOf({ index, [camel]: value }), undefined, camel);
    assert.is(ruleOf({ index, [snake]: value, [camel]: value }), "body", camel);
  }
  assert.is(ruleOf({ index, preference: "a", routing: "b", allow_partial_search_results: true }), undefined);
  assert.is(ruleOf({ index, types: "x" }), "body");
  for (const key of ["expand_wildcards", "expandWildcards"]) assert.is(ruleOf({ index, [key]: "all" }), "hidden", key);
});

const ends = (body: unknown) =>
  openIds({ text: JSON.stringify(body), rights: rightsOf({}), hasIndex: false }) === undefined;

test("scrolls and points in time are ended by their ids alone", () => {
  const id = "FGluY2x1ZGVfY29udGV4dF91dWlk+/_-==";
  for (const key of ["scroll_id", "pit_id"]) {
    assert.ok(ends({ [key]: id }));
    assert.ok(ends({ [key]: [id, id] }));
    for (const wrong of ["_all", ["_all"], [id, "_all"], [], "", "*", null, [[id]], `${id},_all`, " _all"]) {
      assert.not(ends({ [key]: wrong }), JSON.stringify(wrong));
    }
    assert.not(ends({ [key]: id, other: "_all" }));
  }
  assert.not(ends({}));
  assert.not(ends([]));
});

test.run();

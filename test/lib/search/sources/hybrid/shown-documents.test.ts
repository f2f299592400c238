import * as assert from "uvu/assert";
import { parseLossless } from "../../../../../lib/platform/json/values.ts";
import { queryWith, shownWith } from "../../../../../lib/search/sources/hybrid/shown-documents.ts";
import { suite } from "../../../../suite.ts";

const test = suite("documents beside the hits");
const _source = { excludes: ["v"] };
const shown = (native: object) => {
  const members = Object.entries(shownWith(native as Record<string, unknown>, _source));
  return Object.fromEntries(members.map(([key, text]) => [key, JSON.parse(text)]));
};

test("inner hits and top_hits at any depth get the source filter", () => {
  for (const key of ["aggs", "aggregations"]) {
    const aggregations = { a: { terms: { field: "g" }, [key]: { top_hits: { top_hits: { size: 1 } } } } };
    const wanted = { a: { terms: { field: "g" }, [key]: { top_hits: { top_hits: { size: 1, _source } } } } };
    assert.equal(shown({ [key]: aggregations }), { [key]: wanted });
  }
  const inner = [{ name: "a" }, { name: "b", _source: true }];
  assert.equal(shown({ collapse: { field: "g", inner_hits: inner } }), {
    collapse: {
      field: "g",
      inner_hits: [
        { name: "a", _source },
        { name: "b", _source: true },
      ],
    },
  });
  for (const join of ["nested", "has_child", "has_parent"]) {
    const query = { bool: { must: [{ [join]: { query: {}, inner_hits: {} } }] } };
    const wanted = { bool: { must: [{ [join]: { query: {}, inner_hits: { _source } } }] } };
    assert.equal(queryWith(query, _source), wanted);
    assert.equal(shown({ post_filter: query }), { post_filter: wanted });
  }
});

test("whatever shows no documents, or says what they hold, stays the same", () => {
  for (const native of [
    {
      aggs: { top_hits: { terms: { field: "inner_hits" } }, b: { top_hits: { _source: ["v"] } } },
      collapse: { field: "g" },
    },
    { post_filter: { match: { inner_hits: { query: "x" } } }, size: 1, aggs: null },
    { collapse: { field: "g", inner_hits: { name: "a", stored_fields: "_none_" } } },
  ]) {
    assert.equal(shown(native), {});
  }
  const query = parseLossless('{"knn":{"v":{"vector":[1.0,2.50],"k":12345678901234567890}}}');
  assert.is(queryWith(query, _source), query);
});

test.run();

import * as assert from "uvu/assert";
import { withoutAbsent } from "../../../../lib/platform/json/when.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/platform/json/when");

const filled = (template: unknown, ...given: string[]) => withoutAbsent(template, (name) => given.includes(name));

test("a clause goes with its parameter, and loses only its mark", () => {
  const clause = { term: { brand: "[params.brand]" } };
  const template = { query: { bool: { filter: [{ when: "brand", ...clause }, { term: { shop: 1 } }] } } };
  assert.equal(filled(template, "brand"), { query: { bool: { filter: [clause, { term: { shop: 1 } }] } } });
  assert.equal(filled(template), { query: { bool: { filter: [{ term: { shop: 1 } }] } } });
});

test("aggregations go as well, those below others too", () => {
  const inner = { terms: { field: "color" } };
  const template = { aggs: { a: { when: "x", terms: { field: "a" }, aggs: { b: { when: "y", ...inner } } } } };
  assert.equal(filled(template, "x", "y"), { aggs: { a: { terms: { field: "a" }, aggs: { b: inner } } } });
  assert.equal(filled(template, "x"), { aggs: { a: { terms: { field: "a" } } } });
  assert.equal(filled(template, "y"), {});
});

test("a clause inside another goes with either parameter", () => {
  const template = { bool: { must: [{ when: "x", bool: { filter: [{ when: "y", exists: { field: "a" } }] } }] } };
  assert.equal(filled(template, "x"), { bool: { must: [{ bool: {} }] } });
  assert.equal(filled(template, "y"), { bool: {} });
});

test("a list without clauses is left out, and with it the number of clauses that must match", () => {
  const template = { bool: { should: [{ when: "x", exists: { field: "a" } }], minimum_should_match: 1, filter: [] } };
  assert.equal(filled(template), { bool: { filter: [] } });
  assert.equal(filled({ bool: { minimum_should_match: 1 } }), { bool: { minimum_should_match: 1 } });
});

test("a field of a document named `when` stays", () => {
  for (const template of [
    { sort: [{ when: "desc" }, { when: "asc", price: "asc" }] },
    {
      query: {
        bool: { filter: [{ term: { when: "x" } }, { range: { when: { gte: "x" } } }], must: { match: { when: "x" } } },
      },
    },
    { query: { percolate: { field: "q", documents: [{ when: "x", filter: [{ when: "x" }] }] } } },
    { query: { more_like_this: { like: [{ doc: { should: [{ when: "x" }] } }] } } },
    { script_fields: { a: { script: { source: "1", params: { must: [{ when: "x" }] } } } } },
    { aggs: { when: { terms: { field: "when" } } }, docvalue_fields: [{ field: "when" }] },
  ]) {
    assert.equal(filled(template), template);
  }
});

test("an aggregation may have the name of a place where marks do not count", () => {
  const template = { aggs: { documents: { filter: { bool: { must: [{ when: "x", exists: { field: "a" } }] } } } } };
  assert.equal(filled(template), { aggs: { documents: { filter: { bool: {} } } } });
});

test.run();

import * as assert from "uvu/assert";
import { filtersOf } from "../../../../lib/search/queries/passing.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/search/queries/passing");

const RED = { term: { color: "red" } };
const NEW = { term: { isNew: true } };
const OLD = { range: { year: { lt: 1900 } } };
const MATCH = { match: { title: "lamp" } };
const either = (...should: object[]) => ({ bool: { should, minimum_should_match: 1 } });
const nested = (query: object) => ({ nested: { path: "parts", query } });
const red = { bool: { must: MATCH, filter: [RED] } };
const isNew = { bool: { must: MATCH, filter: [NEW] } };

for (const [what, query, filters] of [
  ["a plain query", MATCH, []],
  ["no query", null, []],
  ["a bool query", { bool: { must: [MATCH], filter: [RED], must_not: OLD } }, [RED, { bool: { must_not: [OLD] } }]],
  ["a bool in another", { bool: { must: { bool: { filter: RED, should: [isNew] } } } }, [RED]],
  ["a facet in must", { bool: { must: [MATCH, RED], should: [NEW] } }, [RED]],
  ["facets in should", { bool: { must: MATCH, should: [RED, NEW], minimum_should_match: 1 } }, [either(RED, NEW)]],
  ["facets in a should of must", { bool: { must: [MATCH, { bool: { should: [RED, NEW] } }] } }, [either(RED, NEW)]],
  ["a boost beside words", { bool: { should: [MATCH, RED] } }, []],
  ["dis_max", { dis_max: { queries: [red, { bool: { must: [MATCH, RED] } }] } }, [RED]],
  ["an exclusion alone", { bool: { must_not: OLD, should: [red] } }, [{ bool: { must_not: [OLD] } }, RED]],
  ["a score around it", { function_score: { query: { bool: { filter: [RED] } }, functions: [] } }, [RED]],
  ["a constant score", { constant_score: { filter: RED } }, [RED]],
  ["nested words", nested(MATCH), []],
  ["nested facets", { bool: { must: nested(red) } }, [nested({ bool: { filter: [RED] } })]],
  ["knn", { knn: { v: { vector: [1], filter: RED } } }, [RED]],
  ["hybrid, one subquery without", { hybrid: { queries: [red, MATCH] } }, [RED]],
  ["hybrid, all the same", { hybrid: { queries: [red, { knn: { v: { filter: RED } } }] } }, [RED]],
  ["hybrid, each its own", { hybrid: { filter: OLD, queries: [red, isNew] } }, [OLD, either(RED, NEW)]],
] as const) {
  test(`finds the filters of ${what}`, () => assert.equal(filtersOf(query), filters));
}

test.run();

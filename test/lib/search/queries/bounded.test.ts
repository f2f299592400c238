import * as assert from "uvu/assert";
import type { ApiError } from "../../../../lib/platform/http/error.ts";
import { bounded, requireReach } from "../../../../lib/search/queries/bounded.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/search/queries/bounded");

const F = { term: { genre: "sea" } };
const MATCH = { match: { text: "salt" } };
const near = (filter?: object) => ({ knn: { place: { vector: [0, 1], k: 3, ...(filter && { filter }) } } });
const within = (query: object) => ({ bool: { must: [query], filter: [F] } });

test("every query gets the filters, and vectors at any depth get them themselves", () => {
  const own = { range: { year: { gte: 1990 } } };
  const around = (type: string, member: string, query: object) => ({ [type]: { [member]: query, boost: 2 } });
  const rows: Array<[given: object, expected: object]> = [
    [MATCH, within(MATCH)],
    [{ neural: { text: { k: 3 } } }, within({ neural: { text: { k: 3, filter: F } } })],
    [near(), near(F)],
    [near(own), near({ bool: { filter: [own, F] } })],
    [{ hybrid: { queries: [MATCH, near()], boost: 2 } }, { hybrid: { queries: [within(MATCH), near(F)], boost: 2 } }],
    [
      { bool: { should: [near(), MATCH], filter: near() } },
      within({ bool: { should: [near(F), MATCH], filter: near() } }),
    ],
    [{ dis_max: { queries: [near()] } }, within({ dis_max: { queries: [near(F)] } })],
    ...(
      [
        ["function_score", "query"],
        ["script_score", "query"],
        ["boosting", "positive"],
        ["constant_score", "filter"],
      ] as const
    ).map(([type, member]): [object, object] => [around(type, member, near()), within(around(type, member, near(F)))]),
  ];
  for (const [given, expected] of rows) assert.equal(bounded(given, [F]), expected);
  assert.is(bounded(MATCH, []), MATCH);
});

test("a search that shows or counts documents beyond its query takes no filter", () => {
  const child = { has_child: { type: "review", query: MATCH, inner_hits: {} } };
  const refused: object[] = [
    { aggs: { all: { global: {} } } },
    { aggregations: { genres: { terms: { field: "genre" }, aggs: { of: { children: { type: "review" } } } } } },
    { suggest: { titles: { prefix: "a", completion: { field: "title" } } } },
    { query: { bool: { should: [child] } } },
  ];
  for (const native of refused)
    assert.throws(
      () => requireReach(native as never),
      ({ issues }: ApiError) => issues?.[0]?.path === "filter",
    );
  const byToken: object[] = [
    { suggest: { words: { text: "a", term: { field: "title" } } } },
    { profile: true },
    { aggs: { genres: { significant_text: { field: "text" } } } },
    { aggs: { years: { histogram: {}, aggs: { genres: { terms: { min_doc_count: "0.4" } } } } } },
  ];
  for (const native of byToken) {
    requireReach(native as never);
    assert.throws(
      () => requireReach(native as never, true),
      ({ issues }: ApiError) => issues?.[0]?.path === "filter",
    );
  }
  requireReach({ profile: false, aggs: { years: { date_histogram: { min_doc_count: 0 } } } }, true);
  requireReach({
    query: { has_child: { type: "review", query: MATCH } },
    aggs: { global: { terms: { field: "global" } } },
    suggest: { words: { text: "a", term: { field: "title" } } },
  });
});

test.run();

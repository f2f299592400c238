import * as assert from "uvu/assert";
import { parseLossless } from "../../../../lib/platform/json/values.ts";
import { lexiconOf, spansOf } from "../../../../lib/search/synonyms/lexicon.ts";
import { rewriting } from "../../../../lib/search/synonyms/rewrite.ts";
import { MAX_ALTERNATIVES } from "../../../../lib/settings/synonyms.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/search/synonyms");

const LISTS = [
  lexiconOf(["sofa, couch", "tv => television, flat screen", "flat screen => tv", "new york => nyc", "new => fresh"]),
  lexiconOf(["sofa => settee"]),
];
const rewritten = (query: unknown) => rewriting(query, LISTS)?.query;
const texts = (text: string) => spansOf(text, LISTS).map(({ alternatives }) => alternatives.map((one) => one.text));

test("looks up the longest sequences of words, in all lists, in any case", () => {
  assert.equal(texts("a SOFA in New-York"), [["couch", "settee"], ["nyc"]]);
  assert.equal(texts("new couch"), [["fresh"], ["sofa"]]);
  assert.equal(texts("television sofas"), []);
});

test("looks up words as the cluster cuts them, with the signs that tell them apart", () => {
  const lexicon = lexiconOf(["istanbul, constantinople", "c#, csharp", ".net, dotnet", "台灯, 灯具", "ข้าว, rice"]);
  for (const [text, alternatives] of [
    ["İSTANBUL", ["constantinople"]],
    ["is\u00adtan\u200bbul", ["constantinople"]],
    ["c", []],
    ["a C# book", ["csharp"]],
    ["fishing net", []],
    ["the .NET way", ["dotnet"]],
    ["红色台灯", ["灯具"]],
    ["ข่าว", []],
  ] as const) {
    const found = spansOf(text, [lexicon]).flatMap((span) => span.alternatives.map((one) => one.text));
    assert.equal(found, alternatives, text);
  }
});

test("looks up as fast in a list of 10,000 as in a short one", () => {
  const long = lexiconOf(Array.from({ length: 10_000 }, (_, index) => `word${index} phrase${index}, other${index}`));
  assert.is(long.alternatives.size, 20_000);
  assert.is(long.longest.get("word7"), 2);
  assert.equal(
    spansOf("a word9999 phrase9999 b", [long]).map(({ start, end }) => [start, end]),
    [[2, 21]],
  );
});

test("takes as many synonyms of a text as a list may give it, from however many rules", () => {
  const rules = Array.from({ length: 200_000 }, (_, index) => `sofa => s${index % 60}`);
  const many = Array.from({ length: 40 }, (_, index) => `s${index}`);
  for (const list of [rules, [`sofa, ${many.join(", ")}`], [`sofa => ${many.join(", ")}`]]) {
    const [span] = spansOf("sofa", [lexiconOf(list), lexiconOf(["sofa => z"])]);
    assert.equal(
      span?.alternatives.map(({ text }) => text),
      many.slice(0, MAX_ALTERNATIVES),
    );
  }
});

test("makes a clause a dis_max of itself and of the same clause with other words", () => {
  assert.equal(rewritten({ match: { title: "red sofa" } }), {
    dis_max: {
      queries: [
        { match: { title: "red sofa" } },
        { match: { title: { query: "red couch" } } },
        { match: { title: { query: "red settee" } } },
      ],
    },
  });
  const options = { operator: "and", fuzziness: "AUTO", boost: 2 };
  const [, couch] = queriesOf({ match: { title: { query: "sofa", ...options, _name: "t" } } });
  assert.equal(couch, { match: { title: { ...options, query: "couch" } } });
});

const queriesOf = (query: object) =>
  (rewritten(query) as { dis_max: { queries: unknown[]; _name?: string } }).dis_max.queries;

test("requires the words of a phrase in their order, without a score", () => {
  const [, television, flat] = queriesOf({ match: { title: { query: "big tv", analyzer: "english" } } });
  assert.equal(television, { match: { title: { analyzer: "english", query: "big television" } } });
  assert.equal(flat, {
    bool: {
      must: [{ match: { title: { analyzer: "english", query: "big flat screen" } } }],
      filter: [{ match_phrase: { title: { query: "flat screen", analyzer: "english" } } }],
    },
  });
  const fields = ["title^2", "text"];
  const multi = queriesOf({ multi_match: { query: "tv", fields, operator: "and" } });
  assert.equal(multi[2], {
    bool: {
      must: [{ multi_match: { query: "flat screen", fields, operator: "and" } }],
      filter: [{ multi_match: { query: "flat screen", type: "phrase", fields } }],
    },
  });
  assert.equal(queriesOf({ match_phrase: { title: { query: "big tv", slop: 1 } } })[2], {
    match_phrase: { title: { query: "big flat screen", slop: 1 } },
  });
  assert.equal(queriesOf({ multi_match: { query: "tv", type: "phrase", fields } })[2], {
    multi_match: { query: "flat screen", type: "phrase", fields },
  });
});

test("keeps one name, and what must match attainable", () => {
  const named = rewritten({ multi_match: { query: "sofa", fields: ["a"], _name: "m" } });
  const names = (name: string) => JSON.stringify(named).split(`"_name":"${name}"`).length - 1;
  assert.is(names("m"), 1);
  const least = (minimum_should_match: unknown) =>
    (
      queriesOf({ match: { t: { query: "flat screen set", minimum_should_match } } })[1] as {
        match: { t: { minimum_should_match: unknown } };
      }
    ).match.t.minimum_should_match;
  assert.equal([least(3), least("3"), least("75%"), least(-1)], [2, 2, "75%", -1]);
  assert.equal(queriesOf({ match: { t: { query: "sofa", zero_terms_query: "all" } } })[1], {
    match: { t: { query: "couch", zero_terms_query: "none" } },
  });
});

test("combines alternatives of several words, the fewest changes first, at most 30", () => {
  const variants = queriesOf({ match: { t: "sofa, tv" } }).map(
    (one) => (one as { match?: { t: { query?: string } } }).match?.t.query,
  );
  assert.equal(variants.slice(1, 4), ["couch, tv", "settee, tv", "sofa, television"]);
  assert.is(variants.length, 1 + 2 + 2 + 4);
  assert.is(queriesOf({ match: { t: "sofa tv sofa tv sofa tv" } }).length, 31);
});

test("rewrites where clauses score, and leaves filters, exclusions and other queries as they are", () => {
  const match = { match: { t: "sofa" } };
  const kept = [
    { bool: { filter: match, must_not: [match] } },
    { constant_score: { filter: match } },
    { boosting: { positive: { match_all: {} }, negative: match } },
    { function_score: { query: { match_all: {} }, functions: [{ filter: match, weight: 2 }] } },
    { query_string: { query: "sofa" } },
    { simple_query_string: { query: "sofa" } },
    { match_phrase_prefix: { t: "sofa" } },
    { match_bool_prefix: { t: "sofa" } },
    { multi_match: { query: "sofa", type: "bool_prefix", fields: ["t"] } },
    { knn: { v: { vector: [1], k: 2, filter: match } } },
    { neural_sparse: { v: { query_text: "sofa" } } },
    { term: { t: "sofa" } },
    { match: { t: "sofa", u: "sofa" } },
    { match: { t: { query: 7 } } },
    { match: { t: `sofa ${"x".repeat(1_000)}` } },
    { match: "sofa" },
    "sofa",
    null,
  ];
  for (const query of kept) assert.is(rewriting(query, LISTS), undefined, JSON.stringify(query));
  const changed = rewritten(match);
  const places = (clause: unknown) => [
    { bool: { must: clause, should: [clause, { term: { t: "sofa" } }], filter: [match] } },
    { dis_max: { queries: [clause] } },
    { function_score: { query: clause, functions: [] } },
    { script_score: { query: clause, script: {} } },
    { boosting: { positive: clause, negative: match, negative_boost: 0.5 } },
    { nested: { path: "p", query: { bool: { must: [clause] } } } },
    { has_child: { type: "c", query: clause } },
    { hybrid: { queries: [clause, { knn: {} }] } },
  ];
  for (const [at, query] of places(match).entries()) assert.equal(rewritten(query), places(changed)[at]);
});

test("keeps the digits of numbers", () => {
  const query = parseLossless(
    '{"bool":{"must":{"match":{"t":{"query":"sofa","boost":1.0}}},"filter":{"term":{"n":9007199254740993}}}}',
  );
  const text = JSON.stringify(rewritten(query));
  assert.match(text, '{"term":{"n":9007199254740993}}');
  assert.is(text.split('"boost":1.0').length, 4);
});

test("leaves clauses alone for which a query has no room", () => {
  const match = { match: { t: { query: "sofa", analyzer: "a".repeat(30_000) } } };
  const found = rewriting({ bool: { should: Array(5).fill(match) } }, LISTS);
  assert.equal([found?.alternatives, found?.left], [6, 2]);
});

test.run();

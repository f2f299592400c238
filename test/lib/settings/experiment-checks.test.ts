import { suite } from "../../suite.ts";
import { type Changes, type Rule, testRules } from "./rules.ts";
import { example, hybrid as template } from "./template-example.ts";

const test = suite("checks of experiments in hybrid_search.yaml");

const variant = (name: string, rest: object = {}) => ({ name, share: 0.5, ...rest });
const experiment = (name: string, variants: readonly object[], index = "products") => ({ name, index, variants });
const AB = [variant("a"), variant("b")];
const EXPERIMENTS = "hybrid_search.yaml experiments";
/** An experiment with variants named a, b, c. */
const between = (...variants: object[]): Changes => ({
  [EXPERIMENTS]: [
    experiment(
      "x",
      variants.map((own, at) => variant("abc".charAt(at), own)),
    ),
  ],
});
/** The same for two variants that name templates. */
const templates = (...names: string[]) => between(...names.map((name) => ({ template: name })));
const interleaved = (...names: string[]) => ({
  [EXPERIMENTS]: [
    {
      ...experiment(
        "x",
        names.map((name) => ({ name, share: 0.3 })),
      ),
      kind: "interleave",
    },
  ],
});

const RULES: readonly Rule[] = [
  {
    rule: "variants that are interleaved have no boost of their own",
    good: between({ boost: {} }, {}),
    bad: {
      [EXPERIMENTS]: [{ ...experiment("x", [variant("a", { boost: {} }), variant("b")]), kind: "interleave" }],
    },
    problems:
      "hybrid_search.yaml experiments[0].variants have a boost, which would order the hits of both in an experiment that interleaves",
  },
  {
    rule: "experiments have unique names and indexes",
    good: { [EXPERIMENTS]: [experiment("x", AB), experiment("y", AB, "news-*")] },
    bad: { [EXPERIMENTS]: [experiment("x", AB), experiment("x", AB)] },
    problems: [
      'hybrid_search.yaml experiments[1].name "x" appears twice: see experiments[0]',
      'hybrid_search.yaml experiments[1].index "products" appears twice: see experiments[0]',
    ],
  },
  {
    rule: "variants have unique names and shares of at most 1 together",
    good: between({}, { share: 0.1 }),
    bad: between({}, { name: "a", share: 0.6 }),
    problems: [
      "hybrid_search.yaml experiments[0].variants have shares that sum to 1.1, more than 1",
      'hybrid_search.yaml experiments[0].variants[1].name "a" appears twice: see variants[0]',
    ],
  },
  {
    rule: "variants combine z-scores by their arithmetic mean",
    good: between({ settings: { normalization: "z_score" } }, { settings: { combination: "geometric_mean" } }),
    bad: between({}, { settings: { normalization: "z_score", combination: "geometric_mean" } }),
    problems: "hybrid_search.yaml experiments[0].variants[1].settings.combination must be arithmetic_mean with z_score",
  },
  {
    rule: "all variants name a template, or none",
    good: templates("title_and_meaning", "title_and_meaning"),
    bad: between({ template: "nowhere" }, {}),
    problems: [
      "hybrid_search.yaml experiments[0].variants must all name a template, or none",
      'hybrid_search.yaml experiments[0].variants[0].template names "nowhere", which templates lacks: there are title_and_meaning, shop_page',
    ],
  },
  {
    rule: "templates of an experiment are for hybrid search",
    bad: {
      "hybrid_search.yaml templates[1]": { name: "words", search_request_template: { query: { match_all: {} } } },
      ...templates("words", "words"),
    },
    problems: ["0", "1"].map(
      (at) =>
        `hybrid_search.yaml experiments[0].variants[${at}].template names "words", which is not for hybrid search`,
    ),
  },
  {
    rule: "templates of an experiment take the same parameters, so that a request fits all of them",
    bad: { "hybrid_search.yaml templates[1]": template("other"), ...templates("title_and_meaning", "other") },
    problems:
      'hybrid_search.yaml experiments[0].variants[1].template "other" must take the same parameters as "title_and_meaning", with the same ones required',
  },
  {
    rule: "weights of a variant sum to 1, one for each subquery of its template",
    good: between({}, { settings: { weights: [0.2, 0.3, 0.5] } }),
    bad: between(
      ...[
        [0.2, 0.3, 0.5],
        [0.2, 0.3],
      ].map((weights) => ({ template: "title_and_meaning", settings: { weights } })),
    ),
    problems: [
      'hybrid_search.yaml experiments[0].variants[0].settings.weights must have 2 entries, one for each subquery of "title_and_meaning"',
      "hybrid_search.yaml experiments[0].variants[1].settings.weights must sum to 1, got 0.5",
    ],
  },
  {
    rule: "an experiment that interleaves has two variants",
    good: interleaved("a", "b"),
    bad: interleaved("a", "b", "c"),
    problems: "hybrid_search.yaml experiments[0].variants must be two in an experiment that interleaves",
  },
];

testRules(test, example, RULES);

test.run();

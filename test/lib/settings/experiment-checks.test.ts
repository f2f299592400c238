import { suite } from "../../suite.ts";
import { changed, withoutRules } from "./example.ts";
import { type Rule, testRules } from "./rules.ts";

const test = suite("checks of experiments in hybrid_search.yaml");

/** Rules about experiments add their own, and keys with templates have their own file. */
const full = changed(
  changed(withoutRules(), "hybrid_search.yaml", ["experiments"], undefined),
  "api.yaml",
  ["keys"],
  undefined,
);

const template = (name: string) => ({
  name,
  search_request_template: { query: { hybrid: { queries: [{ match: { title: "[params.text]" } }] } } },
});
const variant = (name: string, rest: object = {}) => ({ name, share: 0.5, ...rest });
const experiment = (name: string, variants: readonly object[], index = "products") => ({ name, index, variants });
const AB = [variant("a"), variant("b")];
const EXPERIMENTS = ["hybrid_search.yaml", ["experiments"]] as const;

const RULES: readonly Rule[] = [
  {
    rule: "experiments have unique names and indexes",
    good: [[...EXPERIMENTS, [experiment("x", AB), experiment("y", AB, "news-*")]]],
    bad: [[...EXPERIMENTS, [experiment("x", AB), experiment("x", AB)]]],
    problems: [
      'conf/hybrid_search.yaml experiments[1].name "x" appears twice: see experiments[0]',
      'conf/hybrid_search.yaml experiments[1].index "products" appears twice: see experiments[0]',
    ],
  },
  {
    rule: "variants have unique names and shares of at most 1 together",
    good: [[...EXPERIMENTS, [experiment("x", [variant("a"), variant("b", { share: 0.1 })])]]],
    bad: [[...EXPERIMENTS, [experiment("x", [variant("a"), variant("a", { share: 0.6 })])]]],
    problems: [
      "conf/hybrid_search.yaml experiments[0].variants have shares that sum to 1.1, more than 1",
      'conf/hybrid_search.yaml experiments[0].variants[1].name "a" appears twice: see variants[0]',
    ],
  },
  {
    rule: "variants combine z-scores by their arithmetic mean",
    good: [
      [
        ...EXPERIMENTS,
        [
          experiment("x", [
            variant("a", { settings: { normalization: "z_score" } }),
            variant("b", { settings: { combination: "geometric_mean" } }),
          ]),
        ],
      ],
    ],
    bad: [
      [
        ...EXPERIMENTS,
        [
          experiment("x", [
            variant("a"),
            variant("b", { settings: { normalization: "z_score", combination: "geometric_mean" } }),
          ]),
        ],
      ],
    ],
    problems: [
      "conf/hybrid_search.yaml experiments[0].variants[1].settings.combination must be arithmetic_mean with z_score",
    ],
  },
  {
    rule: "all variants name a template, or none",
    good: [
      [
        ...EXPERIMENTS,
        [
          experiment(
            "x",
            ["a", "b"].map((name) => variant(name, { template: "title_and_meaning" })),
          ),
        ],
      ],
    ],
    bad: [[...EXPERIMENTS, [experiment("x", [variant("a", { template: "nowhere" }), variant("b")])]]],
    problems: [
      "conf/hybrid_search.yaml experiments[0].variants must all name a template, or none",
      'conf/hybrid_search.yaml experiments[0].variants[0].template names "nowhere", which templates lacks',
    ],
  },
  {
    rule: "templates of an experiment are for hybrid search",
    good: [
      [
        ...EXPERIMENTS,
        [
          experiment("x", [
            variant("a", { template: "title_and_meaning" }),
            variant("b", { template: "title_and_meaning" }),
          ]),
        ],
      ],
    ],
    bad: [
      [
        "hybrid_search.yaml",
        ["templates", 1],
        { name: "words", search_request_template: { query: { match_all: {} } } },
      ],
      [...EXPERIMENTS, [experiment("x", [variant("a", { template: "words" }), variant("b", { template: "words" })])]],
    ],
    problems: ["0", "1"].map(
      (at) =>
        `conf/hybrid_search.yaml experiments[0].variants[${at}].template names "words", which is not for hybrid search`,
    ),
  },
  {
    rule: "templates of an experiment take the same parameters, so that a request fits all of them",
    good: [["hybrid_search.yaml", ["templates", 1], template("other")]],
    bad: [
      ["hybrid_search.yaml", ["templates", 1], template("other")],
      [
        ...EXPERIMENTS,
        [
          experiment(
            "x",
            ["title_and_meaning", "other"].map((name) => variant(name, { template: name })),
          ),
        ],
      ],
    ],
    problems: [
      'conf/hybrid_search.yaml experiments[0].variants[1].template "other" must take the same parameters as "title_and_meaning", with the same ones required',
    ],
  },
  {
    rule: "weights of a variant sum to 1, one for each subquery of its template",
    good: [
      [...EXPERIMENTS, [experiment("x", [variant("a"), variant("b", { settings: { weights: [0.2, 0.3, 0.5] } })])]],
    ],
    bad: [
      [
        ...EXPERIMENTS,
        [
          experiment("x", [
            variant("a", { template: "title_and_meaning", settings: { weights: [0.2, 0.3, 0.5] } }),
            variant("b", { template: "title_and_meaning", settings: { weights: [0.2, 0.3] } }),
          ]),
        ],
      ],
    ],
    problems: [
      'conf/hybrid_search.yaml experiments[0].variants[0].settings.weights must have 2 entries, one for each subquery of "title_and_meaning"',
      "conf/hybrid_search.yaml experiments[0].variants[1].settings.weights must sum to 1, got 0.5",
    ],
  },
  {
    rule: "an experiment that interleaves has two variants",
    good: [
      [
        ...EXPERIMENTS,
        [
          {
            name: "x",
            kind: "interleave",
            index: "products",
            variants: ["a", "b"].map((name) => ({ name, share: 0.3 })),
          },
        ],
      ],
    ],
    bad: [
      [
        ...EXPERIMENTS,
        [
          {
            ...{ name: "x", kind: "interleave", index: "products" },
            variants: ["a", "b", "c"].map((name) => ({ name, share: 0.3 })),
          },
        ],
      ],
    ],
    problems: ["conf/hybrid_search.yaml experiments[0].variants must be two in an experiment that interleaves"],
  },
];

testRules(test, full, RULES);

test.run();

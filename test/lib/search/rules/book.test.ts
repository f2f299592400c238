import * as assert from "uvu/assert";
import * as v from "valibot";
import { type Rule, RulesSchema } from "../../../../lib/config/rules.ts";
import { ruleBook, type SearchFacts } from "../../../../lib/search/rules/book.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/search/rules/book");

const rulesOf = (...rules: object[]): readonly Rule[] =>
  v.parse(RulesSchema, { rules: rules.map((one) => ({ effects: { data: {} }, ...one })) }).rules ?? [];

const FACTS: SearchFacts = { text: null, index: "books", template: null, params: null, native: {}, key: "web", now: 0 };

/** Returns the names of the rules that apply. */
const applied = (rules: readonly Rule[], facts: Partial<SearchFacts>) =>
  ruleBook(rules)
    .matching({ ...FACTS, ...facts })
    .map(({ name }) => name);

test("compares texts by their words, whatever case, accents and punctuation", () => {
  const rules = rulesOf(
    { name: "is", when: { text: { is: ["Café  Noir!"] } } },
    { name: "contains", when: { text: { contains: ["noir et", "l'été"] } } },
    { name: "either", when: { text: { is: ["lamp"], contains: ["red lamp"] } } },
    { name: "japanese", when: { text: { is: ["バグ"] } } },
  );
  for (const [text, names] of [
    ["cafe noir", ["is"]],
    ["cafe noir et blanc", ["contains"]],
    ["L’ETE", ["contains"]],
    ["noir", []],
    ["noirs et", []],
    ["lamp", ["either"]],
    ["a RED-lamp", ["either"]],
    ["a lamp", []],
    ["ハグ", []],
    ["バグ", ["japanese"]],
    ["", []],
    [null, []],
  ] as const) {
    assert.equal(applied(rules, { text }), names, String(text));
  }
});

test("orders rules by priority, then as they are listed", () => {
  const rules = rulesOf(
    { name: "a" },
    { name: "b", priority: 5, when: { text: { is: ["x"] } } },
    { name: "c" },
    { name: "d", priority: -1 },
  );
  assert.equal(applied(rules, { text: "x" }), ["b", "a", "c", "d"]);
});

for (const [what, when, yes, no] of [
  ["index", { indexes: ["books", "shop-*"] }, [{ index: "old,shop-1" }], [{ index: "old" }, { index: "old,-books" }]],
  ["template", { templates: ["shop"] }, [{ template: "shop" }], [{ template: "other" }, {}]],
  ["key", { keys: ["web"] }, [{}], [{ key: "other" }]],
  [
    "parameter",
    { params: [{ name: "color", values: ["red", 7] }] },
    [
      { template: "shop", params: { color: "red" } },
      { template: "shop", params: { color: ["blue", 7] } },
    ],
    [
      { template: "shop", params: { color: "blue" } },
      { template: "shop", params: { color: null } },
      { params: { color: "red" } },
    ],
  ],
  [
    "filter",
    { filters: [{ field: "color", values: ["red", 7] }] },
    [
      { native: { query: { bool: { must: [{ match_all: {} }], filter: [{ terms: { color: ["blue", 7] } }] } } } },
      { native: { query: { bool: { filter: { term: { color: { value: "red" } } } } } } },
      { native: { post_filter: { bool: { must: [{ term: { color: "red" } }] } } } },
      { native: { query: { hybrid: { queries: [{ knn: { v: { filter: { term: { color: "red" } } } } }] } } } },
    ],
    [
      {},
      { native: { query: { term: { color: "red" } } } },
      { native: { query: { bool: { filter: [{ bool: { must_not: [{ term: { color: "red" } }] } }] } } } },
      { native: { query: { bool: { filter: [{ term: { shade: "red" } }] } } } },
    ],
  ],
  [
    "experiment",
    { experiment: { name: "e", variants: ["a", "b"] } },
    [{ experiment: { name: "e", variant: "b" } }],
    [{ experiment: { name: "e", variant: "c" } }, { experiment: { name: "f", variant: "a" } }, {}],
  ],
  [
    "time",
    { from: "2026-12-01", until: "2026-12-02", time_zone: "Europe/Berlin" },
    [{ now: Date.parse("2026-11-30T23:00:00Z") }],
    [{ now: Date.parse("2026-11-30T22:59:59Z") }, { now: Date.parse("2026-12-01T23:00:00Z") }],
  ],
] as const) {
  test(`a condition on the ${what} holds, or does not`, () => {
    const rules = rulesOf({ name: "a", when });
    for (const facts of yes) assert.equal(applied(rules, facts), ["a"], JSON.stringify(facts));
    for (const facts of no) assert.equal(applied(rules, facts), [], JSON.stringify(facts));
  });
}

test("finds the same among 1,000 rules as one by one", () => {
  const many = Array.from({ length: 1_000 }, (_, at) => ({
    name: `r${at}`,
    priority: at % 7,
    when: at % 2 ? { text: { is: [`word${at} lamp`] } } : { text: { contains: [`lamp word${at % 50}`] } },
  }));
  const rules = rulesOf(...many);
  const book = ruleBook(rules);
  for (const text of ["word17 lamp", "red lamp word18 word19", "lamp", "nothing"]) {
    const each = rules
      .toSorted((a, b) => b.priority - a.priority)
      .filter((one) => ruleBook([one]).matching({ ...FACTS, text }).length > 0);
    assert.equal(
      book.matching({ ...FACTS, text }).map(({ name }) => name),
      each.map(({ name }) => name),
      text,
    );
  }
});

test.run();

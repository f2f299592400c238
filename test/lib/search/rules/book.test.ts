import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { toJsonSchema } from "@valibot/to-json-schema";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { seeded } from "../../../../lib/platform/statistics/random.ts";
import { type RuleBook, ruleBook, type SearchFacts } from "../../../../lib/search/rules/book.ts";
import { effectsOf } from "../../../../lib/search/rules/combined.ts";
import { parseRules } from "../../../../lib/search/rules/document.ts";
import type { Effects } from "../../../../lib/search/rules/effects.ts";
import { indexedText, openIndexed } from "../../../../lib/search/rules/text.ts";
import { RULES_FORM, type Rule, RulesSchema } from "../../../../lib/settings/rules.ts";
import { boolQuery } from "../../../fixtures/attacks/nesting.ts";
import { randomRules } from "../../../fixtures/rule-world.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/search/rules/book");

const rulesOf = (...rules: object[]): readonly Rule[] =>
  v.parse(RulesSchema, { rules: rules.map((one) => ({ effects: { data: {} }, ...one })) }).rules ?? [];

const FACTS: SearchFacts = {
  text: null,
  names: ["books"],
  template: null,
  params: null,
  native: {},
  key: "web",
  now: 0,
};

/** Returns the book of a document of rules, as a function reads it. */
function bookOf(rules: readonly Rule[]): RuleBook {
  const about = { version: 1, written_at: "", written_by: "ann", form: RULES_FORM };
  const book = openIndexed(indexedText({ ...about, content: { rules } }))?.content;
  if (!book) throw new Error("it has no index");
  return book;
}

/** Returns the names of the rules that apply. */
function applied(rules: readonly Rule[], given: Partial<SearchFacts>): string[] {
  const facts = { ...FACTS, ...given };
  const [names, read] = [ruleBook(rules), bookOf(rules)].map((book) => book.matching(facts).map(({ name }) => name));
  assert.equal(read, names, "as a function reads the document");
  return names ?? [];
}

test("compares texts by their words, whatever case, accents and punctuation", () => {
  const rules = rulesOf(
    { name: "is", when: { text: { is: ["Café  Noir!"] } } },
    { name: "contains", when: { text: { contains: ["noir et", "l'été"] } } },
    { name: "either", when: { text: { is: ["lamp"], contains: ["red lamp"] } } },
    { name: "japanese", when: { text: { is: ["バグ"] } } },
    { name: "rice", when: { text: { is: ["ข้าว"] } } },
    { name: "desk-lamp", when: { text: { contains: ["台灯"] } } },
    { name: "c-sharp", when: { text: { is: ["c#"] } } },
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
    ["ข่าว", []],
    ["ข้าว", ["rice"]],
    ["红色台灯", ["desk-lamp"]],
    ["C#!", ["c-sharp"]],
    ["c", []],
    ["c++", []],
    ["", []],
    [null, []],
  ] as const) {
    assert.equal(applied(rules, { text }), names, String(text));
  }
});

test("a rule that could end a node of the cluster is refused when it is written, and applied to no search", () => {
  for (const [filter, harm] of [
    [{ query_string: { query: "(".repeat(500) } }, /brackets/],
    [{ regexp: { a: "(((a{1,500}){1,500}){1,500})" } }, /regular expression/],
    [{ wrapper: { query: Buffer.from("[".repeat(500)).toString("base64") } }, /deeper/],
    [JSON.parse(boolQuery(600)), undefined],
  ] as const) {
    const one = { name: "harmful", when: { text: { is: ["x"] } }, effects: { filter } };
    assert.throws(() => rulesOf(one), /must not be nested deeper than 400 levels/);
    // A document whose nesting is too deep is not opened.
    if (!harm) continue;
    const book = ruleBook(parseRules({ rules: [one] }, RULES_FORM));
    assert.throws(() => book.matching({ ...FACTS, text: "x" }), harm);
    assert.equal(book.matching({ ...FACTS, text: "y" }), []);
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
  ["index", { indexes: ["books", "shop-*"] }, [{ names: ["old", "shop-1"] }], [{ names: ["old"] }]],
  ["template", { templates: ["shop"] }, [{ template: "shop" }], [{ template: "other" }, {}]],
  ["key", { keys: ["web"] }, [{}], [{ key: "other" }]],
  [
    "segment",
    { segments: ["vip", "b2b"] },
    [{ segments: ["b2b"] }, { segments: ["new", "vip", "vip"] }],
    [{}, { segments: null }, { segments: [] }, { segments: ["new"] }, { segments: ["VIP"] }],
  ],
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
  const book = bookOf(rules);
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

/** A value for each condition, and facts of which some fulfil it. */
const CONDITIONS = {
  text: [{ is: ["red lamp"] }, { contains: ["lamp"] }, { is: ["sofa"], contains: ["red"] }],
  templates: [["shop"], ["other", "shop"]],
  params: [
    [{ name: "a", values: ["1", "2"] }],
    [
      { name: "b", values: [1] },
      { name: "a", values: ["1"] },
    ],
  ],
  filters: [
    [{ field: "color", values: ["red"] }],
    [
      { field: "size", values: [1] },
      { field: "color", values: ["blue"] },
    ],
  ],
  indexes: [["books"], ["shop-*", "b"], ["shop-1*"], ["s*"]],
  keys: [["web"], ["app", "web"]],
  segments: [["vip"], ["b2b", "vip"]],
  experiment: [
    { name: "e", variants: ["a"] },
    { name: "f", variants: ["a", "b"] },
  ],
  from: ["2026-12-01"],
} as const;

test("finds what fulfils all conditions of a rule among 500 with any conditions", () => {
  const random = seeded(37);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const whens = Array.from({ length: 500 }, () => {
    const chosen = Object.entries(CONDITIONS).filter(() => random() < 0.3);
    return Object.fromEntries(chosen.map(([name, values]) => [name, pick<unknown>(values)]));
  });
  const book = bookOf(rulesOf(...whens.map((when, at) => ({ name: `r${at}`, when }))));
  let found = 0;
  for (let call = 0; call < 100; call += 1) {
    const filter = [{ term: { color: pick(["red", "blue"]) } }, { terms: { size: [pick([1, 2])] } }];
    const facts: SearchFacts = {
      text: pick(["red lamp", "a red Lamp", "sofa", "", null]),
      names: pick([["books"], ["shop-12", "b"], ["shop-2"]]),
      template: pick(["shop", "other", null]),
      params: pick([{ a: "1", b: 1 }, { a: ["3", 2] }, { b: "1" }, null]),
      native: { query: { bool: { filter } } },
      key: pick(["web", "app", "third"]),
      segments: pick([["vip"], ["new", "b2b"], ["new"], [], null]),
      experiment: pick([{ name: "e", variant: "a" }, { name: "f", variant: "b" }, undefined]),
      now: Date.parse(pick(["2026-11-30", "2026-12-02"])),
    };
    const holds = new Map<string, boolean>();
    const fulfils = ([name, value]: [string, unknown]) => {
      const key = JSON.stringify([name, value]);
      const isFulfilled = holds.get(key) ?? applied(rulesOf({ name: "a", when: { [name]: value } }), facts).length > 0;
      holds.set(key, isFulfilled);
      return isFulfilled;
    };
    const expected = whens.flatMap((when, at) => (Object.entries(when).every(fulfils) ? [`r${at}`] : []));
    assert.equal(
      book.matching(facts).map(({ name }) => name),
      expected,
    );
    found += expected.length;
  }
  assert.ok(found > 500);
});

test("a segment that a request claims adds rules, and shows nothing that others hide", () => {
  const random = seeded(38);
  for (let round = 0; round < 200; round += 1) {
    const rules = randomRules(random, 12).map((rule) =>
      random() < 0.5 ? rule : { ...rule, when: { ...rule.when, segments: ["vip"] } },
    );
    const book = bookOf(rules);
    const [without, claimed] = [null, ["vip"]].map((segments) =>
      effectsOf(book.matching({ ...FACTS, segments }), { hasText: true }),
    ) as [Effects, Effects];
    for (const part of ["hiddenIds", "hidden", "filters", "weights"] as const)
      for (const one of without[part])
        assert.ok(
          claimed[part].some((other) => isDeepStrictEqual(other, one)),
          part,
        );
    assert.not.ok(claimed.pins.some(({ id }) => without.hiddenIds.includes(id)));
  }
});

test("checks documents of rules unless they are of this version's form", () => {
  const unknown = { rules: [{ name: "a", when: { moons: ["full"] }, effects: {} }] };
  for (const form of [undefined, RULES_FORM - 1, RULES_FORM + 1]) assert.throws(() => parseRules(unknown, form));
  const rules = rulesOf({ name: "a", effects: { pin: [{ id: "1", place: 1 }] } });
  assert.equal(parseRules({ rules }, RULES_FORM), parseRules({ rules }));
  assert.equal(parseRules({}, RULES_FORM), []);
  // If this fails, what older versions wrote may not be what this one expects: increase RULES_FORM, then change this.
  const schema = toJsonSchema(RulesSchema, { typeMode: "output", errorMode: "ignore" });
  const text = JSON.stringify(schema, (key, value) =>
    key === "description" && typeof value === "string" ? undefined : value,
  );
  const hash = createHash("sha256").update(text).digest("hex").slice(0, 8);
  assert.equal([RULES_FORM, hash], [3, "05d3cee7"]);
});

test.run();

import * as assert from "uvu/assert";
import * as v from "valibot";
import { INDEX_FORM, indexOf } from "../../../../lib/search/rules/facts.ts";
import { indexedText, openIndexed } from "../../../../lib/search/rules/text.ts";
import { RULES_FORM, RulesSchema } from "../../../../lib/settings/rules.ts";
import { suite } from "../../../suite.ts";

const test = suite("the text of a document of rules");

const effects = { data: {} };
const RULES = [
  { name: "phrase", when: { text: { is: ["A lamp"], contains: ["Red  lamp!", "red", "?"] } }, effects },
  {
    name: "tab",
    when: { templates: ["shop"], params: [{ name: "a", values: ["x\ty", 'z"\n\u2028', "\ud800é"] }] },
    effects,
  },
  { name: "filter", priority: 1, when: { filters: [{ field: "f", values: [1, true] }] }, effects },
  { name: "segment", when: { segments: ["vip", "b2b"] }, effects },
  { name: "experiment", when: { experiment: { name: "e", variants: ["a"] } }, effects },
  { name: "index", when: { indexes: ["books", "shop-*"] }, effects },
  { name: "key", when: { keys: ["web"] }, effects },
  { name: "template", when: { templates: ["shop"] }, effects },
  { name: "every", effects: { data: { banner: 'a\n,\n"content":{"rules":[\nb,\n"index":' } } },
];
const content = v.parse(RulesSchema, { rules: RULES });
const VERSION = { version: 3, written_at: "2026-01-01", written_by: 'ann,\n"index":', form: RULES_FORM, content };
const FACTS = { text: null, names: ["x"], template: null, params: null, native: {}, key: "y", now: 0 };

test("is JSON of the version, for those who read all of it", () => {
  const { index_form: _, sha256: _sum, index: _index, ...rest } = JSON.parse(indexedText(VERSION));
  assert.equal(rest, JSON.parse(JSON.stringify(VERSION)));
  assert.equal(JSON.parse(indexedText({ ...VERSION, content: { rules: [] } })).content, { rules: [] });
});

test("finds rules whatever characters their conditions and effects have", () => {
  const opened = openIndexed(indexedText(VERSION));
  assert.is(opened?.version, 3);
  const found = (facts: object) => opened?.content.matching({ ...FACTS, ...facts }).map(({ name }) => name);
  assert.equal(found({}), ["every"]);
  assert.equal(opened?.content.matching(FACTS)[0], content.rules?.at(-1));
  for (const a of ["x\ty", 'z"\n\u2028', "\ud800é"])
    assert.equal(found({ template: "shop", params: { a } }), ["tab", "template", "every"]);
  assert.equal(found({ template: "shop", params: { a: "x y" } }), ["template", "every"]);
  assert.equal(found({ text: "a dim red lamp" }), ["phrase", "every"]);
  assert.equal(found({ text: "redder lamps" }), ["every"]);
  assert.equal(found({ segments: ["b2b"] }), ["segment", "every"]);
  const filtered = { native: { query: { bool: { filter: { term: { f: 1 } } } } } };
  assert.equal(found({ ...filtered, text: "red" }), ["filter", "phrase", "every"]);
  assert.equal(openIndexed(indexedText({ ...VERSION, content: {} }))?.content.matching(FACTS), []);
});

test("is read as a whole if something else wrote or changed it", () => {
  const text = indexedText(VERSION);
  assert.ok(openIndexed(text));
  assert.is(openIndexed(JSON.stringify(VERSION)), undefined);
  assert.is(openIndexed(indexedText({ ...VERSION, form: RULES_FORM + 1 })), undefined);
  assert.is(openIndexed(text.replace(`"index_form":${INDEX_FORM}`, `"index_form":${INDEX_FORM + 1}`)), undefined);
  for (const [from, to] of [
    ['"priority":1', '"priority":2'],
    ['"filter=f=1\\t', '"filter=f=2\\t'],
    ['"key"', '"kez"'],
  ] as const) {
    assert.ok(text.includes(from), from);
    assert.is(openIndexed(text.replace(from, to)), undefined, to);
  }
});

test("has an index that functions of this version read", () => {
  const { lines, prefixes } = indexOf(content.rules ?? [], [0, 10, 20, 25, 30, 40, 50, 60, 70]);
  // If this fails, functions find other rules in what was written before: increase INDEX_FORM, then change this.
  assert.equal(
    [INDEX_FORM, lines, prefixes],
    [
      3,
      [
        ...["\t70", "experiment=e\t30", "filter=f=1\t20", "filter=f=true\t20", "index=books\t40", "index=shop-*\t40"],
        ...["key=web\t50", "param=a=x y\t10", 'param=a=z"\n\u2028\t10', "param=a=\ud800é\t10"],
        ...[
          "phrase=red\t0",
          "phrase=red lamp\t0",
          "segment=b2b\t25",
          "segment=vip\t25",
          "template=shop\t60",
          "text=a lamp\t0",
        ],
      ],
      [5],
    ],
  );
});

test.run();

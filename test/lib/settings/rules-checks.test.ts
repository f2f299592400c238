import * as assert from "uvu/assert";
import { suite } from "../../suite.ts";
import { filledExample, linesOf } from "./example.ts";

const test = suite("checks of rules.yaml");

/** Returns what is wrong with rules, without the name of the file and the lines. */
const problems = (...rules: object[]) =>
  linesOf({ ...filledExample(), "rules.yaml": JSON.stringify({ rules }) }).map((line) => line.replace(/^\S+ {2}/, ""));

const rule = (name: string, effects: object, when: object = {}) => ({ name, when, effects });
const pin = (id: string, place: number) => ({ id, place });

test("accepts rules that meet only sometimes, whatever they do", () => {
  const found = problems(
    rule("a", { pin: [pin("d1", 1)], redirect: "/a" }, { text: { contains: ["lamp"] } }),
    rule("b", { pin: [pin("d2", 1)], hide: { ids: ["d1"] }, redirect: "/b" }, { text: { contains: ["red lamp"] } }),
  );
  assert.equal(found, []);
});

test("reports conflicts of rules for the same searches", () => {
  const when = { text: { is: ["lamp"] } };
  assert.equal(
    problems(
      rule("a", { pin: [pin("d1", 1), pin("d2", 1), pin("d1", 3)], redirect: "/a" }, when),
      rule("b", { pin: [pin("d3", 1)], hide: { ids: ["d1"] }, redirect: "/b" }, when),
      rule("c", { hide: { ids: ["d4"] } }),
      rule("d", { pin: [pin("d4", 9)] }, when),
      rule("a", { data: {} }),
    ),
    [
      'rules[4].name  "a" appears twice: see rules[0]',
      "rules[0].effects.pin[1].place  1 is taken by a pin of rules[0] for the same searches",
      'rules[0].effects.pin[2].id  "d1" is pinned by rules[0] already for the same searches',
      "rules[1].effects.redirect  has no effect: rules[0] has one for the same searches",
      'rules[1].effects.hide.ids[0]  "d1" is pinned by rules[0] for the same searches',
      "rules[1].effects.pin[0].place  1 is taken by a pin of rules[0] for the same searches",
      'rules[3].effects.pin[0].id  "d4" is hidden by rules[2] for the same searches',
    ],
  );
});

test("takes rules for other segments for rules of other searches", () => {
  const of = (...segments: string[]) => ({ segments, text: { is: ["lamp"] } });
  const [everybody] = [{ text: { is: ["lamp"] } }];
  assert.equal(
    problems(
      rule("a", { pin: [pin("d1", 1)] }, of("vip")),
      rule("b", { pin: [pin("d2", 1)] }, of("vip")),
      rule("c", { pin: [pin("d3", 1)] }, of("b2b")),
      rule("d", { pin: [pin("d4", 1)] }, everybody),
      rule("e", { redirect: "/e" }, of("two words")),
    ),
    [
      'rules[4].when.segments[0]  must be 1 to 64 letters, digits, _ and -, got "two words"',
      "rules[1].effects.pin[0].place  1 is taken by a pin of rules[0] for the same searches",
    ],
  );
});

test("reports rules that can never apply, and those that do nothing", () => {
  const redirect = { redirect: "/a" };
  assert.equal(
    problems(
      rule("a", {}, { text: {} }),
      rule("b", redirect, { text: { is: ["?!"] }, from: "2026-12-02", until: "2026-12-01T23:59" }),
      rule("c", redirect, { keys: ["nobody"], templates: ["none"], experiment: { name: "none", variants: ["a"] } }),
      rule("d", { hide: {} }, { from: "2026-02-30", until: "2026-03-01T24:00" }),
      rule("e", redirect, { params: [{ name: "color", values: ["red"] }], time_zone: "Mars/Base" }),
    ),
    [
      'rules[4].when.time_zone  must be a time zone such as Europe/Berlin, got "Mars/Base"',
      "rules[0].when.text  must have is, contains, or both",
      "rules[0].effects  is empty, so that the rule does nothing",
      "rules[1].when.text.is[0]  has no words, so that the rule can never apply",
      "rules[1].when.until  is not after from, so that the rule can never apply",
      'rules[2].when.keys[0]  "nobody" is not in keys of api.yaml: there is none',
      'rules[2].when.templates[0]  "none" is not in templates of hybrid_search.yaml: there is none',
      'rules[2].when.experiment.name  "none" is not in experiments of hybrid_search.yaml: there is none',
      "rules[3].when.from  is not a day or time of the calendar",
      "rules[3].when.until  is not a day or time of the calendar",
      "rules[3].effects.hide  must have ids, filter, or both",
      'rules[4].when.params[0].name  no such template has the parameter "color", so that the rule can never apply',
    ],
  );
});

test.run();

import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { nameOf, pageDataOf } from "../../console/merchandise/rule.ts";

const test = suite("a rule as people type it");

test("makes a name of rules.yaml from any text", () => {
  for (const [typed, name] of [
    ["Garden week", "garden-week"],
    ["Garden ", "garden-"],
    ["1. Été: l'été & Co", "ete-lete-co"],
    ["red_lamp-week", "red_lamp-week"],
    ["  ", ""],
    ["バグ", ""],
    ["a".repeat(70), "a".repeat(63)],
  ] as const) {
    assert.is(nameOf(typed), name);
    assert.match(name, /^$|^[a-z][a-z0-9_-]{0,62}$/);
  }
});

test("takes text for a banner, and JSON as it is", () => {
  assert.equal(pageDataOf(" Garden week: 20% off "), { banner: "Garden week: 20% off" });
  assert.equal(pageDataOf('{"banner": "a", "n": 1}'), { banner: "a", n: 1 });
  assert.is(pageDataOf(" \n"), undefined);
  assert.throws(() => pageDataOf('{"banner": "a"'));
});

test.run();

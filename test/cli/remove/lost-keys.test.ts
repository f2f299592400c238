import * as assert from "uvu/assert";
import { lostKeyAdvice } from "../../../cli/remove/lost-keys.ts";
import { suite } from "../../suite.ts";

const test = suite("advice about orphaned keys");

test("does not claim that a key exists, since nobody has checked", () => {
  const [first = "", ...commands] = lostKeyAdvice(["alias/shop"], "eu-west-1");
  assert.match(first, "AWS bills an existing key by the month until you delete it. For a key that no longer exists");
  assert.is(commands[0], "  alias/shop");
  assert.match(commands[1] ?? "", "schedule-key-deletion --region eu-west-1");
});

test("is empty without orphaned keys", () => {
  assert.equal(lostKeyAdvice([], "eu-west-1"), []);
});

test.run();

import * as assert from "uvu/assert";
import { once } from "../../../../lib/platform/resilience/once.ts";
import { suite } from "../../../suite.ts";

const test = suite("once");

test("creates a value once, even for concurrent calls", async () => {
  let made = 0;
  const value = once(async () => {
    made += 1;
    return made;
  });
  assert.equal(await Promise.all([value(), value()]), [1, 1]);
  assert.is(await value(), 1);
});

test("retries after a failure", async () => {
  let made = 0;
  const value = once(async () => {
    made += 1;
    if (made === 1) throw new Error("no");
    return made;
  });
  assert.is(await value().catch((error: Error) => error.message), "no");
  assert.equal([await value(), await value()], [2, 2]);
});

test.run();

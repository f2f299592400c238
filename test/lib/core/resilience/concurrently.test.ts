import * as assert from "uvu/assert";
import { concurrently } from "../../../../lib/core/resilience/concurrently.ts";
import { suite } from "../../../suite.ts";

const test = suite("concurrently");

/** Operations that end when the test says so. */
function manual() {
  const started: number[] = [];
  const ends = new Map<number, PromiseWithResolvers<string>>();
  const operation = (value: number) => {
    started.push(value);
    const end = Promise.withResolvers<string>();
    ends.set(value, end);
    return end.promise;
  };
  return { started, operation, end: (value: number) => ends.get(value) };
}
const settle = () => new Promise((resolve) => setImmediate(resolve));

test("runs no more operations at a time than the limit, and keeps the order of the values", async () => {
  const { started, operation, end } = manual();
  const results = concurrently([1, 2, 3], 2, operation);
  assert.equal(started, [1, 2]);
  end(2)?.resolve("b");
  await settle();
  assert.equal(started, [1, 2, 3]);
  end(3)?.resolve("c");
  end(1)?.resolve("a");
  assert.equal(await results, ["a", "b", "c"]);
});

test("starts nothing more after a failure", async () => {
  const { started, operation, end } = manual();
  const results = concurrently([1, 2, 3, 4], 2, operation).catch((error: Error) => error.message);
  end(2)?.reject(new Error("no"));
  assert.is(await results, "no");
  end(1)?.resolve("a");
  await settle();
  assert.equal(started, [1, 2]);
});

test("returns no results without values", async () => {
  assert.equal(await concurrently([], 4, async () => "x"), []);
});

test.run();

import * as assert from "uvu/assert";
import { concurrently, eachConcurrently } from "../../../../lib/platform/resilience/concurrently.ts";
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

// Operations on a stream

/** Yields numbers, and records how many were taken and whether the stream was closed. */
function numbers(count: number) {
  const seen = { taken: 0, closed: false };
  const values = (async function* () {
    try {
      for (let value = 0; value < count; value += 1) {
        seen.taken += 1;
        yield value;
      }
    } finally {
      seen.closed = true;
    }
  })();
  return { seen, values };
}

test("takes a value only when there is room for it", async () => {
  const { seen, values } = numbers(10);
  const ends: Array<() => void> = [];
  const done = eachConcurrently(values, 3, () => new Promise((resolve) => ends.push(resolve)));
  await new Promise(setImmediate);
  assert.is(seen.taken, 3);
  for (let ended = 0; ended < 10; ended += 1) {
    ends[ended]?.();
    await new Promise(setImmediate);
  }
  await done;
  assert.is(ends.length, 10);
});

test("closes the stream after a failure, when the operations in progress have ended", async () => {
  const { seen, values } = numbers(10);
  let end = () => {};
  const done = eachConcurrently(values, 2, (value) => {
    if (value === 1) return Promise.reject(new Error("the second"));
    return new Promise((resolve) => {
      end = resolve;
    });
  });
  let message = "";
  const settled = done.catch((error: Error) => {
    message = error.message;
  });
  await new Promise(setImmediate);
  assert.is(message, "", "the first is in progress");
  end();
  await settled;
  assert.is(message, "the second");
  assert.equal(seen, { taken: 2, closed: true });
});

test("fails when the stream fails", async () => {
  const values = (async function* () {
    yield 1;
    throw new Error("broken");
  })();
  let message = "";
  await eachConcurrently(values, 2, async () => {}).catch((error: Error) => {
    message = error.message;
  });
  assert.is(message, "broken");
});

test.run();

import * as assert from "uvu/assert";
import { createPace } from "../../../../../lib/search/index/rebuild/pace.ts";
import { suite } from "../../../../suite.ts";

const test = suite("pace of a run");

/** Starts operations that end when the test ends them. */
function operations(pace: ReturnType<typeof createPace>, count: number) {
  const ends: Array<() => void> = [];
  const all = Promise.all(
    Array.from({ length: count }, () => pace.run(() => new Promise<void>((resolve) => ends.push(resolve)))),
  );
  return { running: () => ends.length, ends, all };
}

test("grows by one for each round of successes, up to the maximum", () => {
  const pace = createPace(3);
  assert.is(pace.limit(), 1);
  pace.succeeded();
  assert.is(pace.limit(), 2);
  for (let i = 0; i < 2; i += 1) pace.succeeded();
  assert.is(pace.limit(), 2);
  for (let i = 0; i < 20; i += 1) pace.succeeded();
  assert.is(pace.limit(), 3);
});

test("runs as many operations as the limit allows, and the others when there is room", async () => {
  const pace = createPace(8);
  pace.succeeded();
  const { running, ends, all } = operations(pace, 4);
  await Promise.resolve();
  assert.is(running(), 2);
  while (ends.length < 4) {
    ends.shift()?.();
    ends.push(() => {});
    await new Promise(setImmediate);
    if (running() >= 4) break;
  }
  for (const end of ends) end();
  for (let i = 0; i < 10; i += 1) {
    await new Promise(setImmediate);
    for (const end of ends) end();
  }
  await all;
});

test("halves at a refusal, and counts the refusals of concurrent calls once", async () => {
  const pace = createPace(8);
  for (let i = 0; i < 100; i += 1) pace.succeeded();
  const { ends, all } = operations(pace, 8);
  await Promise.resolve();
  pace.refused();
  pace.refused();
  assert.is(pace.limit(), 4);
  for (const end of ends) end();
  await all;
  pace.refused();
  assert.is(pace.limit(), 2);
  for (let i = 0; i < 5; i += 1) pace.refused();
  assert.is(pace.limit(), 1);
});

test.run();

import * as assert from "uvu/assert";
import { deadlineIn } from "../../../../lib/core/resilience/deadline.ts";
import { createPace } from "../../../../lib/recommendation/sync/pace.ts";
import { suite } from "../../../suite.ts";

const test = suite("recommendation: pace");

/** A clock that waiting advances. */
function clock() {
  const state = { now: 0 };
  return {
    state,
    options: {
      now: () => state.now,
      wait: async (ms: number) => {
        state.now += ms;
      },
    },
  };
}

test("no second has more turns than allowed, however they are requested", async () => {
  const { state, options } = clock();
  const pace = createPace(5, options);
  const turns: number[] = [];
  for (let index = 0; index < 40; index += 1) {
    if (index === 20) state.now += 3_000;
    assert.ok(await pace.turn(deadlineIn(60_000, options.now)));
    turns.push(state.now);
  }
  for (const start of turns) {
    assert.ok(turns.filter((turn) => turn >= start && turn < start + 1_000).length <= 5);
  }
  assert.ok((turns.at(-1) ?? 0) < 12_000, "and it is not much slower than that");
});

test("concurrent requests get their turns one after the other", async () => {
  const pace = createPace(10, { now: () => 0, wait: async (ms) => waits.push(ms) });
  const waits: number[] = [];
  await Promise.all([1, 2, 3].map(() => pace.turn(deadlineIn(60_000))));
  assert.equal(waits.map(Math.round), [110, 220]);
});

test("a turn that would come too late is refused and left for another caller", async () => {
  const { options } = clock();
  const pace = createPace(1, options);
  assert.ok(await pace.turn(deadlineIn(100, options.now)));
  assert.not.ok(await pace.turn(deadlineIn(100, options.now)));
  assert.ok(await pace.turn(deadlineIn(5_000, options.now)));
});

test.run();

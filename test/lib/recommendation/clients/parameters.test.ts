import * as assert from "uvu/assert";
import { deadlineIn } from "../../../../lib/platform/resilience/deadline.ts";
import { createPointers } from "../../../../lib/recommendation/clients/parameters.ts";
import { suite } from "../../../suite.ts";

const test = suite("recommendation: pointers");

const deadline = deadlineIn(60_000);

function store(values: Record<string, string>) {
  const reads: string[][] = [];
  const state = { now: 0, down: false, reads, values };
  const pointers = createPointers(
    async (names) => {
      reads.push([...names]);
      await Promise.resolve();
      if (state.down) throw new Error("down");
      return new Map(names.flatMap((name) => (values[name] === undefined ? [] : [[name, values[name]] as const])));
    },
    () => state.now,
  );
  return { state, pointers, reads };
}

test("keeps a value for 60 seconds", async () => {
  const { state, pointers, reads } = store({ a: "1" });
  assert.equal(await pointers.read(["a"], deadline), ["1"]);
  state.values.a = "2";
  state.now = 59_999;
  assert.equal(await pointers.read(["a"], deadline), ["1"]);
  state.now = 60_000;
  assert.equal(await pointers.read(["a"], deadline), ["2"]);
  assert.is(reads.length, 2);
});

test("soon asks again for a missing value", async () => {
  const { state, pointers } = store({});
  assert.equal(await pointers.read(["a"], deadline), [undefined]);
  state.values.a = "1";
  state.now = 5_000;
  assert.equal(await pointers.read(["a"], deadline), ["1"]);
});

test("reads all names of a request at once, and names of concurrent requests only once", async () => {
  const { pointers, reads } = store({ a: "1", b: "2" });
  const both = await Promise.all([pointers.read(["a", "b"], deadline), pointers.read(["b", "a"], deadline)]);
  assert.equal(both, [
    ["1", "2"],
    ["2", "1"],
  ]);
  assert.equal(reads, [["a", "b"]]);
});

test("rereads at once when told to, but not repeatedly while nothing has changed", async () => {
  const { state, pointers, reads } = store({ a: "1" });
  await pointers.read(["a"], deadline);
  state.values.a = "2";
  assert.equal(await pointers.reread(["a"], deadline), ["2"]);
  assert.equal(await pointers.reread(["a"], deadline), ["2"]);
  assert.is(reads.length, 3);
  await pointers.reread(["a"], deadline);
  assert.is(reads.length, 3, "just confirmed");
  state.now = 250;
  await pointers.reread(["a"], deadline);
  assert.is(reads.length, 4);
});

test("keeps old values while the store is down, and throws if there are none", async () => {
  const { state, pointers, reads } = store({ a: "1" });
  await pointers.read(["a"], deadline);
  state.down = true;
  state.now = 60_000;
  assert.equal(await pointers.read(["a"], deadline), ["1"]);
  assert.equal(await pointers.read(["a"], deadline), ["1"]);
  assert.is(reads.length, 2, "not asked again with each request");
  const error = await pointers.read(["b"], deadline).catch((thrown: Error) => thrown.message);
  assert.is(error, "down");
  state.down = false;
  state.values.b = "2";
  assert.equal(await pointers.read(["b"], deadline), ["2"]);
});

test.run();

import * as assert from "uvu/assert";
import { deadlineIn } from "../../../../lib/core/resilience/deadline.ts";
import { createSlots } from "../../../../lib/search/embeddings/slots.ts";
import { suite } from "../../../suite.ts";

const test = suite("embeddings: slots");

const soon = () => deadlineIn(10_000);

test("a waiting query goes before documents that waited longer", async () => {
  const slots = createSlots(1);
  const order: string[] = [];
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const first = slots.run("document", soon(), () => held);
  const rest = (["document", "document", "query", "query"] as const).map((input, i) =>
    slots.run(input, soon(), async () => order.push(`${input} ${i}`)),
  );
  release();
  await Promise.all([first, ...rest]);
  assert.equal(order, ["query 2", "query 3", "document 0", "document 1"]);
});

test("a failed call frees its slot", async () => {
  const slots = createSlots(1);
  await slots.run("query", soon(), () => Promise.reject(new Error("x"))).catch(() => {});
  assert.is(await slots.run("query", soon(), async () => 1), 1);
});

test("who waits longer than its time gives up, and takes no slot", async () => {
  const slots = createSlots(1);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const first = slots.run("document", soon(), () => held);
  const late = await slots.run("query", deadlineIn(5), async () => 1).catch((error: Error) => error.message);
  assert.is(late, "no time was left to start a model call");
  release();
  await first;
  assert.is(await slots.run("document", soon(), async () => 2), 2);
});

test("a bound below one is refused", () => {
  assert.throws(() => createSlots(0), "a model needs at least 1 parallel call, got 0");
  assert.throws(() => createSlots(1.5), "got 1.5");
});

test.run();

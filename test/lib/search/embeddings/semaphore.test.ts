import * as assert from "uvu/assert";
import { deadlineIn } from "../../../../lib/platform/resilience/deadline.ts";
import { createSemaphore } from "../../../../lib/search/embeddings/semaphore.ts";
import { suite } from "../../../suite.ts";

const test = suite("embeddings: semaphore");

const soon = () => deadlineIn(10_000);

test("calls wait for a slot in order", async () => {
  const semaphore = createSemaphore(1);
  const order: number[] = [];
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const first = semaphore.run(soon(), () => held);
  const rest = [1, 2, 3].map((n) => semaphore.run(soon(), async () => order.push(n)));
  release();
  await Promise.all([first, ...rest]);
  assert.equal(order, [1, 2, 3]);
});

test("a failed call frees its slot", async () => {
  const semaphore = createSemaphore(1);
  await semaphore.run(soon(), () => Promise.reject(new Error("x"))).catch(() => {});
  assert.is(await semaphore.run(soon(), async () => 1), 1);
});

test("a call that waits past its deadline gives up and takes no slot", async () => {
  const semaphore = createSemaphore(1);
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const first = semaphore.run(soon(), () => held);
  const late = await semaphore.run(deadlineIn(5), async () => 1).catch((error: Error) => error.message);
  assert.is(late, "no time was left to start a model call");
  release();
  await first;
  assert.is(await semaphore.run(soon(), async () => 2), 2);
});

test("a bound below one is refused", () => {
  assert.throws(() => createSemaphore(0), "a model needs at least 1 parallel call, got 0");
  assert.throws(() => createSemaphore(1.5), "got 1.5");
});

test.run();

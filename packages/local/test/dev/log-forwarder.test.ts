import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { createForwarder } from "../../dev/log-forwarder.ts";

const test = suite("forwarder of request log lines");

/** A forwarder to a log whose first calls fail. */
function forwarder(failures = 0) {
  const batches: string[][] = [];
  const said: string[] = [];
  let left = failures;
  const put = async (lines: readonly string[]) => {
    if (left > 0) {
      left -= 1;
      throw new Error("the log is down");
    }
    batches.push([...lines]);
  };
  return { batches, said, ...createForwarder({ put, say: (line) => said.push(line), delayMs: 60_000 }) };
}

test("sends by itself, without being stopped", async () => {
  const arrived = Promise.withResolvers<readonly string[]>();
  const { add, stop } = createForwarder({
    put: async (lines) => arrived.resolve(lines),
    say: () => undefined,
    delayMs: 1,
  });
  add("a");
  assert.equal(await arrived.promise, ["a"]);
  await stop();
});

test("limits batches to the size that PutLogEvents accepts", async () => {
  const { batches, add, stop } = forwarder();
  for (let n = 0; n < 12; n += 1) add("x".repeat(200_000));
  await stop();
  assert.equal(
    batches.map((batch) => batch.length),
    [5, 5, 2],
  );
});

test("sends waiting lines as one batch in order, and retries it once", async () => {
  const { batches, said, add, stop } = forwarder(1);
  for (const line of ["a", "b", "c"]) add(line);
  await stop();
  assert.equal([batches, said], [[["a", "b", "c"]], []]);
});

test("says once that lines could not be stored, and continues", async () => {
  const { batches, said, add, stop } = forwarder(4);
  add("x".repeat(1_000_000));
  add("y".repeat(1_000_000));
  add("z".repeat(1_000_000));
  await stop();
  assert.equal(
    batches.map(([line]) => line?.[0]),
    ["z"],
  );
  assert.equal(said, ["request log lines could not be stored (searches keep working): the log is down"]);
});

test("keeps a bounded number of lines while the log does not answer", async () => {
  const { batches, add, stop } = forwarder();
  for (let n = 0; n < 30_000; n += 1) add(String(n));
  await stop();
  const lines = batches.flat();
  assert.ok(lines.length <= 20_000);
  assert.is(lines.at(-1), "29999");
});

test.run();

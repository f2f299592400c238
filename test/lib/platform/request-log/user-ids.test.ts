import * as assert from "uvu/assert";
import { keyInTime, userIdKey } from "../../../../lib/platform/request-log/user-ids.ts";
import { suite } from "../../../suite.ts";

const test = suite("the key that hashes user ids");

/** A reader of a key whose secret answers as `read` does, at a time of its own. */
function world(read: () => Promise<string>, waitMs = 10_000) {
  const logging = { user_id: "hmac", query_text: true, hmac_secret_name: "secret" } as const;
  const lines: string[] = [];
  let time = 0;
  let reads = 0;
  const counted = () => {
    reads += 1;
    return read();
  };
  const key = userIdKey(logging, counted, (line) => lines.push(line), { now: () => time, waitMs });
  const ask = () => keyInTime({ settings: { logging }, userIdKey: key }, { deadline: { remaining: () => 29_000 } });
  const counts = () => [reads, lines.length];
  const pass = (ms: number) => {
    time += ms;
  };
  return { ask, counts, lines, pass };
}

test("is read once, and kept", async () => {
  const { ask, counts, pass } = world(async () => "key");
  assert.equal(await Promise.all([ask(), ask()]), ["key", "key"]);
  pass(3_600_000);
  assert.is(await ask(), "key");
  assert.equal(counts(), [1, 0]);
});

test("is not read again for some seconds after a failure, which is printed once", async () => {
  let isDown = true;
  const { ask, counts, lines, pass } = world(async () => {
    if (isDown) throw new Error("denied");
    return "key";
  });
  assert.equal(await Promise.all([ask(), ask(), ask()]), [undefined, undefined, undefined]);
  assert.is(await ask(), undefined);
  assert.equal(counts(), [1, 1]);
  assert.match(lines[0] ?? "", "denied");
  pass(10_000);
  assert.is(await ask(), undefined);
  assert.equal(counts(), [2, 2]);
  isDown = false;
  assert.is(await ask(), undefined);
  pass(10_000);
  assert.is(await ask(), "key");
  assert.equal(counts(), [3, 2]);
});

test("is waited for by one answer while it is late, and serves the next line when it arrives", async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const { ask, counts } = world(() => promise, 1);
  assert.is(await ask(), undefined);
  // No time passes for this one.
  const second = Promise.race([ask(), new Promise((done) => setImmediate(done, "waits"))]);
  assert.is(await second, undefined);
  resolve("key");
  await promise;
  assert.is(await ask(), "key");
  assert.equal(counts(), [1, 0]);
});

test.run();

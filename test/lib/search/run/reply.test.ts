import * as assert from "uvu/assert";
import { stopwatch } from "../../../../lib/search/run/reply.ts";
import { suite } from "../../../suite.ts";

const test = suite("lib/search/run/reply");

test("a stopwatch adds up what a stage takes, failures included, and rounds at the end", async () => {
  let now = 100;
  const watch = stopwatch(() => now);
  const work = (ms: number) => async () => {
    now += ms;
  };
  await watch.time("search", work(10.4));
  await watch.time("embedding", work(5));
  await watch.time("search", work(20.4));
  await watch
    .time("search", async () => {
      now += 1;
      throw new Error("lost");
    })
    .catch(() => undefined);
  assert.equal(watch.read(), { total: 37, search: 32, embedding: 5 });
});

test.run();

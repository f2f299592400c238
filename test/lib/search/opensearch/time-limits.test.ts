import * as assert from "uvu/assert";
import type { Cluster, ClusterRequest } from "../../../../lib/search/opensearch/cluster.ts";
import { milliseconds, timeLimited } from "../../../../lib/search/opensearch/time-limits.ts";
import { suite } from "../../../suite.ts";

const test = suite("the time of a search");

const REQUEST: ClusterRequest = { method: "POST", path: "/a/_search", body: "{}" };

/** A cluster that remembers the query strings it gets; it does not know the parameters in `unknown`. */
function recorder(unknown: readonly string[] = []) {
  const queries: string[] = [];
  const cluster: Cluster = {
    async send({ query = "" }) {
      queries.push(query);
      const name = unknown.find((parameter) => query.includes(parameter));
      const reason = `request [/a/_search] contains unrecognized parameter: [${name}]`;
      return { status: name ? 400 : 200, headers: {}, body: Buffer.from(name ? reason : "{}") };
    },
  };
  return { cluster, queries };
}

test("a search ends before its call, and times out before it is cancelled", async () => {
  for (const [callMs, timeout, cancel] of [
    [27_700, 26_000, 27_500],
    [27_300, 26_000, 27_100],
    [2_200, 1_000, 2_000],
    // That of a stage of a page: the margins of a request would leave it a millisecond, after which it would find nothing.
    [700, 280, 500],
    [100, 40, 70],
  ] as const) {
    const { cluster, queries } = recorder();
    await timeLimited(cluster, { timeout: undefined }).send({ ...REQUEST, query: "a=1" }, callMs);
    assert.equal(queries, [`a=1&timeout=${timeout}ms&cancel_after_time_interval=${cancel}ms`]);
  }
});

test("a shorter time of the caller's is kept, and a longer one is not", async () => {
  for (const [asked, timeout, cancel] of [
    [{ timeout: "5s", cancelAfter: "7s" }, 5_000, 7_000],
    [{ timeout: "9h", cancelAfter: "-1" }, 26_000, 27_500],
    [{ timeout: "-1", cancelAfter: "٩s" }, 26_000, 27_500],
    [{ timeout: 5, cancelAfter: null }, 26_000, 27_500],
  ] as const) {
    const { cluster, queries } = recorder();
    await timeLimited(cluster, asked).send(REQUEST, 27_700);
    assert.equal(queries, [`timeout=${timeout}ms&cancel_after_time_interval=${cancel}ms`]);
  }
});

test("a call without the parameter timeout is only cancelled", async () => {
  const { cluster, queries } = recorder();
  await timeLimited(cluster, { timeout: null }).send(REQUEST, 27_700);
  assert.equal(queries, ["cancel_after_time_interval=27500ms"]);
});

test("a cluster that cannot cancel is asked once, and then no longer", async () => {
  const { cluster, queries } = recorder(["cancel_after_time_interval"]);
  const limited = () => timeLimited(cluster, { timeout: undefined });
  assert.is((await limited().send(REQUEST, 27_700)).status, 200);
  assert.is((await limited().send(REQUEST, 27_700)).status, 200);
  assert.equal(queries, ["timeout=26000ms&cancel_after_time_interval=27500ms", "timeout=26000ms", "timeout=26000ms"]);
});

test("an answer that only quotes the refusal of the parameter is no refusal", async () => {
  const body = '{"hits":"unrecognized parameter: [cancel_after_time_interval]"}';
  let calls = 0;
  const cluster: Cluster = {
    async send() {
      calls += 1;
      return { status: 200, headers: {}, body: Buffer.from(body) };
    },
  };
  await timeLimited(cluster, { timeout: undefined }).send(REQUEST, 27_700);
  assert.is(calls, 1);
});

test("times are read as the cluster reads them", () => {
  const read = ["5s", "5S", " 2m ", "1500micros", "1d", "0", "-1", "1.5s", "5", "5x", 5, null];
  assert.equal(read.map(milliseconds), [
    5_000,
    5_000,
    120_000,
    1.5,
    86_400_000,
    ...Array.from({ length: 7 }, () => undefined),
  ]);
});

test.run();

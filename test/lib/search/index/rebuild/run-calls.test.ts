import * as assert from "uvu/assert";
import { createPace } from "../../../../../lib/search/index/rebuild/pace.ts";
import { createRunCalls } from "../../../../../lib/search/index/rebuild/run-calls.ts";
import { importWriter } from "../../../../../lib/search/index/rebuild/write.ts";
import { type ClusterAnswer, ClusterFailure } from "../../../../../lib/search/opensearch/cluster.ts";
import { suite } from "../../../../suite.ts";

const test = suite("calls of a run");

test("a run whose gateway is gone says so at times, and then gives up", async () => {
  const told: string[] = [];
  let clock = 0;
  const calls = createRunCalls({
    cluster: { send: () => Promise.reject(new ClusterFailure("lost", true, "no answer from the gateway")) },
    pace: createPace(1),
    onTrouble: (reason) => told.push(reason),
    wait: async (ms) => {
      clock += ms;
    },
    now: () => clock,
  });
  const error = await calls.json({ method: "GET", path: "/" }).catch((caught: unknown) => caught);
  assert.match(String(error), "no answer from the gateway");
  assert.ok(told.length > 20 && told.length <= 41, `told ${told.length} times in ten minutes`);
  assert.is(told[0], "no answer from the gateway");
});

test("a run says that its gateway hangs after the first call that got no answer", async () => {
  let [clock, calls] = [0, 0];
  const told: number[] = [];
  const run = createRunCalls({
    cluster: {
      async send() {
        clock += 60_000;
        calls += 1;
        throw new ClusterFailure("lost", true, "no answer in 60 s");
      },
    },
    pace: createPace(1),
    onTrouble: () => told.push(calls),
    wait: async () => undefined,
    now: () => clock,
  });
  await run.json({ method: "GET", path: "/" }).catch(() => undefined);
  assert.is(told[0], 1);
});

test("an index that a plugin refuses is refused at once, and other errors and calls are repeated", async () => {
  const answers = ["node_disconnected_exception", "runtime_exception"].map((type) => ({
    status: 500,
    headers: {},
    body: Buffer.from(JSON.stringify({ error: { type, reason: "Failed to fetch model [m]" }, status: 500 })),
  }));
  let sent = 0;
  const calls = createRunCalls({
    cluster: { send: async () => answers[sent++] as ClusterAnswer },
    pace: createPace(1),
    wait: async () => undefined,
  });
  const error = await calls.json({ method: "PUT", path: "/books" }).catch((caught: unknown) => caught);
  assert.is(sent, 2);
  assert.match(String(error), "The cluster answered PUT /books with 500: runtime_exception: Failed to fetch model [m]");
  sent = 0;
  answers.reverse().push({ status: 200, headers: {}, body: Buffer.from("{}") });
  await calls.json({ method: "GET", path: "/books/_search" });
  assert.is(sent, 3);
});

test("a document over the limit of a request is rejected with a reason", async () => {
  const answer: ClusterAnswer = { status: 413, headers: {}, body: Buffer.from("") };
  const calls = createRunCalls({ cluster: { send: async () => answer }, pace: createPace(1) });
  const outcomes = await importWriter(calls, "books")([{ id: "1", source: "{}" }]);
  const reason = "payload_too_large: the document is over the limit for one request";
  assert.equal(outcomes, [{ kind: "rejected", reason }]);
});

test.run();

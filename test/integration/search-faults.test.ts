import * as assert from "uvu/assert";
import { openEmbedders } from "../../functions/api-router/embedders.ts";
import { deadlineIn } from "../../lib/platform/resilience/deadline.ts";
import { FAILURES } from "../../lib/search/embeddings/breaker.ts";
import type { Fault } from "../../packages/local-models/control.ts";
import { corpus } from "../fixtures/corpus.ts";
import { type FaultProxy, type ProxyFault, startFaultProxy } from "../fixtures/fault-proxy.ts";
import { fillIndex } from "../fixtures/fill-index.ts";
import { hybridIndex, SETTINGS, startGateway, startUpstreams, type TestGateway } from "../fixtures/gateway.ts";
import { clusters, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("searches with faults of the cluster and the models");
const upstreams = await startUpstreams();
const { control } = upstreams.models;

/** A function with a short timeout, so that a call that is never answered ends soon. */
const SHORT_MS = 6_000;

// The proxy and the models make the faults, not a version of the cluster.
for (const cluster of (await clusters()).slice(-1)) {
  const index = uniqueIndex("faults");
  let proxy: FaultProxy;
  let gateway: TestGateway;
  let strict: TestGateway;
  const search = () =>
    gateway.post("/application/search", { index, search_request: { query: { match: { text: "salt" } } } });
  const hybrid = (to: TestGateway, search_query = `salt ${Math.random()}`) =>
    to.post("/application/hybrid-search", {
      index,
      search_query,
      search_request_template: {
        query: {
          hybrid: {
            queries: [{ match: { text: "salt" } }, { knn: { text_dense: { vector: "[text_dense]", k: 5 } } }],
          },
        },
      },
    });

  test.before(async () => {
    proxy = await startFaultProxy(cluster.url);
    gateway = await startGateway({
      node: proxy.url,
      settings: { indexes: [hybridIndex(index)] },
      functionTimeoutMs: SHORT_MS,
    });
    const failing = hybridIndex(index, { on_embedding_failure: { write: "fail", query: "fail" } });
    strict = await startGateway({ node: proxy.url, settings: { indexes: [failing] }, functionTimeoutMs: SHORT_MS });
    const slow = await startGateway({ node: cluster.url, settings: { indexes: [hybridIndex(index)] } });
    await fillIndex(cluster, slow, index, corpus(40));
  });

  test.before.each(() => {
    proxy.reset();
    control.reset();
  });

  const body = { error: { root_cause: [{ type: "illegal_state_exception", reason: "node 10.0.0.7 is odd" }] } };
  for (const [what, fault, times, expected, calls] of [
    ["429, then success, is 200", { kind: "status", status: 429 }, 1, [200], 2],
    ["503, then success, is 200", { kind: "status", status: 503 }, 1, [200], 2],
    [
      "a lasting 429 is 429",
      { kind: "status", status: 429, headers: { "retry-after": "7" } },
      9,
      [429, "throttled"],
      3,
    ],
    ["a lasting 503 is 503", { kind: "status", status: 503 }, 9, [503, "upstream_unavailable"], 3],
    ["500 is 502, without a retry", { kind: "status", status: 500, body }, 9, [502, "upstream_failed"], 1],
    ["a lost connection is retried once, as a search changes nothing", { kind: "drop_after" }, 1, [200], 2],
    ["a connection lost twice is 502", { kind: "drop_before" }, 9, [502, "upstream_failed"], 2],
    ["a cluster that does not answer is 504 in time", { kind: "hang_before" }, 9, [504, "timeout"], 1],
    ["no JSON is 502", { kind: "answer", status: 200, body: "<html>" }, 9, [502, "upstream_failed"], 1],
  ] as ReadonlyArray<[what: string, fault: ProxyFault, times: number, expected: unknown[], calls: number]>) {
    test(`${cluster.version}: search: ${what}`, async () => {
      proxy.fault({ path: "/_search", fault, times });
      const { status, body, headers, text } = await search();
      assert.equal([status, ...(status === 200 ? [] : [body.error.code])], expected, text);
      assert.is(proxy.count("/_search"), calls);
      assert.is(headers.get("retry-after"), status === 429 ? "7" : null);
      assert.not.match(text, "10.0.0.7");
    });
  }

  test(`${cluster.version}: search: a refused connection is 503, and the answer contains no address`, async () => {
    await proxy.refuse();
    const { status, body, text } = await search();
    await proxy.accept();
    assert.is(status, 503);
    assert.is(body.error.code, "upstream_unavailable");
    assert.not.match(text, "127.0.0.1");
  });

  for (const [what, faults, reason] of [
    ["times out", [{ kind: "hang" }], /model endpoint timed out after \d+ ms/],
    ["answers 424", [{ kind: "status", status: 424 }], /\(status 424\)/],
    [
      "gives another dimension",
      [{ kind: "dimension", dimension: 8 }],
      /model gave a vector of 8 dimensions, \d+ are configured/,
    ],
  ] as ReadonlyArray<[string, Fault[], RegExp]>) {
    test(`${cluster.version}: hybrid: if the model ${what}, the other subquery answers, and the answer says why`, async () => {
      control.setFaults("dense_large_en_v1_5", faults);
      const { status, body, headers, text } = await hybrid(gateway);
      control.setFaults("dense_large_en_v1_5", []);
      assert.is(status, 200, text);
      assert.is(headers.get("x-degraded"), "embedding");
      assert.match(body.degraded[0]?.reason ?? "", reason);
      assert.is(body.degraded[0]?.effect, "subquery 2 left out");
      assert.ok(body.search_response.hits.hits.length > 0);
      assert.not.match(text, /127\.0\.0\.1|arn:aws/);
    });
  }

  test(`${cluster.version}: hybrid: with "query: fail", a failed embedding is 503, and the cluster is not searched`, async () => {
    control.setFaults("dense_large_en_v1_5", [{ kind: "status", status: 424 }]);
    const { status, body } = await hybrid(strict);
    assert.is(status, 503);
    assert.is(body.error.code, "upstream_unavailable");
    assert.is(proxy.count("/_search"), 0);

    control.setFaults("dense_large_en_v1_5", [{ kind: "unavailable" }]);
    for (let n = 0; n < 2; n += 1) await hybrid(strict);
    const paused = await hybrid(strict);
    assert.equal([paused.status, paused.body.error.code], [503, "upstream_unavailable"]);
    assert.ok(Number(paused.headers.get("retry-after")) > 0);
  });
}

test("reports a model that is down with one line and one metric", async () => {
  control.setFaults("dense_large_en_v1_5", [{ kind: "unavailable" }]);
  const lines: Array<Record<string, unknown>> = [];
  const { embedders } = openEmbedders(SETTINGS, ".", (line) => lines.push(JSON.parse(line)));
  for (let n = 0; n < 3; n += 1) {
    await embedders.get("dense_large_en_v1_5")?.embedDocuments([`text ${n}`], deadlineIn(20_000));
  }
  assert.is(control.counts("dense_large_en_v1_5").calls, FAILURES);
  const [told, metric, ...others] = lines;
  assert.equal(others, []);
  assert.equal([told?.level, told?.model], ["warn", "dense_large_en_v1_5"]);
  assert.equal([metric?.Project, metric?.Model, metric?.ModelPaused], ["test", "dense_large_en_v1_5", 1]);
});

test.after(stopStarted);

test.run();

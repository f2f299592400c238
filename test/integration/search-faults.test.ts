import * as assert from "uvu/assert";
import { openEmbedders } from "../../functions/api-router/embedders.ts";
import { deadlineIn } from "../../lib/platform/resilience/deadline.ts";
import { FAILURES } from "../../lib/search/embeddings/breaker.ts";
import type { Fault } from "../../packages/local-models/control.ts";
import { corpus } from "../fixtures/corpus.ts";
import { type FaultProxy, startFaultProxy } from "../fixtures/fault-proxy.ts";
import {
  HYBRID_MAPPING,
  hybridIndex,
  SETTINGS,
  startGateway,
  startUpstreams,
  type TestGateway,
} from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";

const test = suite("searches with faults of the cluster and the models");
const upstreams = await startUpstreams();
const { control } = upstreams.models;
const toStop: Array<{ stop(): Promise<void> }> = [upstreams];

/** A function with a short timeout, so that a call that is never answered ends soon. */
const SHORT_MS = 6_000;

for (const cluster of await clusters()) {
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
    toStop.unshift(gateway, strict, proxy);
    await request(cluster, "PUT", `/${index}`, HYBRID_MAPPING);
    const bulk_request = corpus(40).map(({ id, doc }) => ({ id, op: "index", doc }));
    const slow = await startGateway({ node: cluster.url, settings: { indexes: [hybridIndex(index)] } });
    toStop.unshift(slow);
    const { body } = await slow.post("/application/bulk", { index, bulk_request });
    assert.is(body.index_response.errors, false);
    await request(cluster, "POST", `/${index}/_refresh`);
  });

  test.before.each(() => {
    proxy.reset();
    control.reset();
  });

  for (const status of [429, 503]) {
    test(`${cluster.version}: search: ${status}, then success: 200 after a second call`, async () => {
      proxy.fault({ path: "/_search", fault: { kind: "status", status }, times: 1 });
      assert.is((await search()).status, 200);
      assert.is(proxy.count("/_search"), 2);
    });
  }

  test(`${cluster.version}: search: a lasting 429 is 429 throttled with retry-after, after three calls`, async () => {
    proxy.fault({ path: "/_search", fault: { kind: "status", status: 429, headers: { "retry-after": "7" } } });
    const { status, body, headers } = await search();
    assert.is(status, 429);
    assert.is(body.error.code, "throttled");
    assert.is(headers.get("retry-after"), "7");
    assert.is(proxy.count("/_search"), 3);
  });

  test(`${cluster.version}: search: a lasting 503 is 503 upstream_unavailable, after three calls`, async () => {
    proxy.fault({ path: "/_search", fault: { kind: "status", status: 503 } });
    const { status, body } = await search();
    assert.is(status, 503);
    assert.is(body.error.code, "upstream_unavailable");
    assert.is(proxy.count("/_search"), 3);
  });

  test(`${cluster.version}: search: 500 is 502 upstream_failed, without a retry`, async () => {
    const cause = { type: "illegal_state_exception", reason: "node 10.0.0.7 is odd" };
    proxy.fault({ path: "/_search", fault: { kind: "status", status: 500, body: { error: { root_cause: [cause] } } } });
    const { status, body, text } = await search();
    assert.is(status, 502);
    assert.is(body.error.code, "upstream_failed");
    assert.not.match(text, "10.0.0.7");
    assert.is(proxy.count("/_search"), 1);
  });

  test(`${cluster.version}: search: a lost connection is retried once, because a search changes nothing`, async () => {
    proxy.fault({ path: "/_search", fault: { kind: "drop_after" }, times: 1 });
    assert.is((await search()).status, 200);
    assert.is(proxy.count("/_search"), 2);
  });

  test(`${cluster.version}: search: a connection lost twice is 502 upstream_failed`, async () => {
    proxy.fault({ path: "/_search", fault: { kind: "drop_before" } });
    const { status, body } = await search();
    assert.is(status, 502);
    assert.is(body.error.code, "upstream_failed");
    assert.is(proxy.count("/_search"), 2);
  });

  test(`${cluster.version}: search: a refused connection is 503, and the answer contains no address`, async () => {
    await proxy.refuse();
    const { status, body, text } = await search();
    await proxy.accept();
    assert.is(status, 503);
    assert.is(body.error.code, "upstream_unavailable");
    assert.not.match(text, "127.0.0.1");
  });

  test(`${cluster.version}: search: a cluster that does not answer is 504 within the function's time`, async () => {
    proxy.fault({ path: "/_search", fault: { kind: "hang_before" } });
    const { status, body } = await search();
    assert.is(status, 504);
    assert.is(body.error.code, "timeout");
    assert.is(proxy.count("/_search"), 1);
  });

  test(`${cluster.version}: search: an answer that is not JSON is 502`, async () => {
    proxy.fault({ path: "/_search", fault: { kind: "answer", status: 200, body: "<html>" } });
    const { status, body } = await search();
    assert.is(status, 502);
    assert.is(body.error.code, "upstream_failed");
  });

  for (const [what, faults, reason] of [
    ["times out", [{ kind: "hang" }], /model endpoint timed out after \d+ ms/],
    ["answers 424", [{ kind: "status", status: 424 }], /\(status 424\)/],
    ["throttles to the end", [{ kind: "throttle" }], /model endpoint throttles/],
    [
      "gives another dimension",
      [{ kind: "dimension", dimension: 8 }],
      /model gave a vector of 8 dimensions, \d+ are configured/,
    ],
    ["gives NaN", [{ kind: "nan" }], /model gave a vector with a component that is not a number/],
    ["gives too few vectors", [{ kind: "too_few" }], /model gave \d vectors for 1 texts/],
    ["is not JSON", [{ kind: "not_json" }], /model answered with something other than JSON/],
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

  for (const [what, faults] of [
    ["429", [{ kind: "throttle", first: 1 }]],
    ["503", [{ kind: "unavailable", first: 1 }]],
  ] as ReadonlyArray<[string, Fault[]]>) {
    test(`${cluster.version}: hybrid: if the model answers ${what}, then succeeds, nothing is degraded`, async () => {
      control.setFaults("dense_large_en_v1_5", faults);
      const { status, body } = await hybrid(gateway);
      assert.is(status, 200);
      assert.is(body.degraded, undefined);
      assert.is(control.counts("dense_large_en_v1_5").calls, 2);
    });
  }

  test(`${cluster.version}: hybrid: a model that is down is not called for some seconds, and the answer says so`, async () => {
    const settings = { indexes: [hybridIndex(index)] };
    const own = await startGateway({ node: proxy.url, settings });
    toStop.unshift(own);
    control.setFaults("dense_large_en_v1_5", [{ kind: "unavailable" }]);
    await hybrid(own);
    await hybrid(own);
    const { calls } = control.counts("dense_large_en_v1_5");
    const { status, body } = await hybrid(own);
    assert.is(status, 200);
    assert.is(control.counts("dense_large_en_v1_5").calls, calls);
    assert.match(
      body.degraded[0]?.reason ?? "",
      "calls to the model are paused for some seconds, because the last ones failed: model endpoint is unavailable",
    );
    assert.is(body.degraded[0]?.effect, "subquery 2 left out");
  });

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

test.after(async () => {
  for (const started of toStop) await started.stop();
});

test.run();

import * as assert from "uvu/assert";
import { clusters } from "../fixtures/opensearch.ts";
import { faultyCluster, put, sent } from "../lib/search/bulk/faulty-cluster.ts";
import { suite } from "../suite.ts";

const test = suite("bulk faults");

// The proxy makes the faults, not a version of the cluster.
for (const cluster of (await clusters()).slice(-1)) {
  const { version } = cluster;

  const { setUp, source, stop } = faultyCluster(cluster, "faults");
  // Here rather than at the end of each test, so that the process ends even if a test fails.
  test.after(stop);

  test(`${version}: retries only the items rejected with 429, then sends later operations on their ids`, async () => {
    const { index, proxy, gateway } = await setUp();
    proxy.fault({ path: "/_bulk", fault: { kind: "items_429", ids: ["a"] }, times: 1 });
    const { status, items } = await gateway.bulk(index, [put("a", 1), put("b", 1), put("a", 2)]);
    assert.is(status, 200);
    assert.equal(
      items.map((item) => [item.status, item._version]),
      [
        [201, 1],
        [201, 1],
        [200, 2],
      ],
    );
    assert.equal(sent(proxy), [["index a", "index b"], ["index a"], ["index a"]]);
    assert.equal(await source(index, "a"), { n: 2 });
  });

  test(`${version}: an item that stays rejected gets the cluster's 429, and later operations on its id are not sent`, async () => {
    const { index, proxy, gateway } = await setUp();
    proxy.fault({ path: "/_bulk", fault: { kind: "items_429", ids: ["a"] } });
    const { status, items, body } = await gateway.bulk(index, [put("a", 1), put("b", 1), put("a", 2)]);
    assert.equal([status, body.index_response.errors], [200, true]);
    assert.equal(
      items.map((item) => [item.status, item.error?.type]),
      [
        [429, "rejected_execution_exception"],
        [201, undefined],
        [409, "earlier_operation_failed"],
      ],
    );
    assert.equal(sent(proxy), [["index a", "index b"], ["index a"], ["index a"]]);
    assert.is(await source(index, "a"), undefined);
  });

  for (const busy of [429, 503]) {
    test(`${version}: a call answered with ${busy} as a whole is tried three times, then each item is 429`, async () => {
      const { index, proxy, gateway } = await setUp();
      proxy.fault({ path: "/_bulk", fault: { kind: "status", status: busy }, times: 2 });
      const fine = await gateway.bulk(index, [put("a", 1)]);
      assert.equal([fine.items[0]?.status, proxy.count("/_bulk")], [201, 3]);

      proxy.reset();
      proxy.fault({ path: "/_bulk", fault: { kind: "status", status: busy } });
      const { status, items } = await gateway.bulk(index, [put("b", 1), put("c", 1)]);
      assert.equal([status, proxy.count("/_bulk")], [200, 3]);
      for (const item of items)
        assert.equal([item.status, item.error.type, item.error.retryable], [429, "cluster_busy", true]);
      assert.is(await source(index, "b"), undefined);
    });
  }

  test(`${version}: a cluster that refuses connections is 503, and nothing is written`, async () => {
    const { index, proxy, gateway } = await setUp();
    await proxy.refuse();
    const { status, body } = await gateway.bulk(index, [put("a", 1)]);
    assert.equal([status, body.error.code], [503, "upstream_unavailable"]);
    assert.is(body.error.message, "The search cluster cannot be reached. Nothing has been written.");
    await proxy.accept();
    const again = await gateway.bulk(index, [put("a", 1)]);
    assert.equal([again.items[0]?.status, proxy.count("/_bulk")], [201, 1]);
  });

  test(`${version}: if the cluster goes away between chunks, reports what is written and marks the rest retryable`, async () => {
    const { index, proxy, gateway } = await setUp({ max_bulk_bytes: 70 });
    const operations = Array.from({ length: 6 }, (_, n) => put(`d${n}`, n));
    proxy.fault({ path: "/_bulk", fault: { kind: "refuse_after" }, times: 1 });
    const { status, items, body } = await gateway.bulk(index, operations);
    assert.equal([status, body.index_response.errors], [200, true]);
    const written = items.filter((item) => item.status === 201);
    const rest = items.filter((item) => item.status !== 201);
    assert.equal([written.length, rest.length], [2, 4]);
    for (const item of rest) {
      assert.equal([item.status, item.error.type, item.error.retryable], [503, "upstream_unavailable", true]);
      assert.is(await source(index, item._id), undefined);
    }
  });

  test(`${version}: sends nothing with too little time left, and answers 504`, async () => {
    const { index, proxy, gateway } = await setUp();
    const { status, body } = await gateway.bulk(index, [put("a", 1)], { remainingMs: 1_000 });
    assert.equal([status, body.error.code, proxy.calls.length], [504, "timeout", 0]);
    assert.match(body.error.message, "Nothing has been written");
  });

  test(`${version}: a chunk over the cluster's own limit is halved until it fits`, async () => {
    const { index, proxy, gateway } = await setUp();
    proxy.fault({ path: "/_bulk", fault: { kind: "status", status: 413 }, times: 2 });
    const { items } = await gateway.bulk(index, [put("a", 1), put("b", 2), put("c", 3)]);
    assert.equal(
      items.map((item) => item.status),
      [201, 201, 201],
    );
    assert.equal(sent(proxy), [
      ["index a", "index b", "index c"],
      ["index a", "index b"],
      ["index a"],
      ["index b"],
      ["index c"],
    ]);
    proxy.reset();
    proxy.fault({ path: "/_bulk", fault: { kind: "status", status: 413 } });
    const alone = await gateway.bulk(index, [put("d", 1)]);
    assert.equal([alone.items[0]?.status, alone.items[0]?.error.type], [413, "payload_too_large"]);
  });

  test(`${version}: refused credentials are 502, without the cluster's text`, async () => {
    const { index, proxy, gateway } = await setUp();
    proxy.fault({ path: "/_bulk", fault: { kind: "status", status: 403 } });
    const { status, body } = await gateway.bulk(index, [put("a", 1)]);
    assert.equal([status, body.error.code, proxy.count("/_bulk")], [502, "upstream_failed", 1]);
    assert.match(body.error.message, "Nothing has been written");
  });

  test(`${version}: a later chunk that is refused as a whole fails its own items, and the others are written`, async () => {
    const { index, proxy, gateway } = await setUp({ max_bulk_bytes: 70 });
    const planted = { kind: "status", status: 400 } as const;
    proxy.fault({ path: "/_bulk", fault: planted, after: 1, times: 1 });
    const { status, items } = await gateway.bulk(
      index,
      Array.from({ length: 6 }, (_, n) => put(`d${n}`, n)),
    );
    assert.is(status, 200);
    assert.equal(
      items.map((item) => item.status),
      [201, 201, 422, 422, 201, 201],
    );
    assert.equal([items[2]?.error.type, items[2]?.error.retryable], ["planted", false]);
  });
}

test.run();

import * as assert from "uvu/assert";
import { clusters, request } from "../fixtures/opensearch.ts";
import { faultyCluster, put } from "../lib/search/bulk/faulty-cluster.ts";
import { suite } from "../suite.ts";

const test = suite("bulk with lost answers");

/**
 * The time of a request whose write is never answered: the tests wait for its end, so more patience would only make them
 * longer. Its last second is for reading what the write has done, however long the rest is.
 */
const REMAINING_MS = 8_000;

// The proxy loses the answers, not a version of the cluster.
for (const cluster of (await clusters()).slice(-1)) {
  const { version } = cluster;

  const { setUp, setUpMapped, source, stop } = faultyCluster(cluster, "lost");
  // Here rather than at the end of each test, so that the process ends even if a test fails.
  test.after(stop);

  test(`${version}: finds what a write did, and does not repeat it, when the socket closes after the cluster got it`, async () => {
    const { index, proxy, gateway } = await setUp();
    await gateway.bulk(index, [put("u", 1), put("gone", 1), put("kept", 1)]);
    proxy.reset();
    proxy.fault({ path: "/_bulk", fault: { kind: "drop_after" }, times: 1 });
    const { status, items, body } = await gateway.bulk(index, [
      put("new", 1),
      { id: "made", op: "create", doc: { n: 1.5 } },
      { id: "u", op: "update", doc: { m: 2 } },
      { id: "gone", op: "delete" },
      put("kept", 2),
    ]);
    assert.equal([status, body.index_response.errors], [200, false]);
    assert.equal(
      items.map((item) => [item.result, item.status, item._version]),
      [
        ["created", 201, 1],
        ["created", 201, 1],
        ["updated", 200, 2],
        ["deleted", 200, -1],
        ["updated", 200, 2],
      ],
    );
    assert.equal([proxy.count("/_bulk"), proxy.count("/_mget")], [1, 1]);
    assert.equal(Object.keys(items[0]?._shards ?? {}), ["total", "successful", "failed"]);
  });

  test(`${version}: retries nothing when the socket closes before the cluster gets the write: the outcome is unknown`, async () => {
    const { index, proxy, gateway } = await setUp();
    await gateway.bulk(index, [put("u", 1), put("gone", 1), put("kept", 1)]);
    proxy.reset();
    proxy.fault({ path: "/_bulk", fault: { kind: "drop_before" }, times: 1 });
    const { status, body } = await gateway.bulk(index, [
      put("new", 1),
      { id: "made", op: "create", doc: { n: 1 } },
      { id: "u", op: "update", doc: { m: 2 } },
      { id: "gone", op: "delete" },
      put("kept", 2),
    ]);
    assert.equal([status, body.error.code, body.error.cause], [500, "outcome_unknown", { unknown: "0-4" }]);
    assert.equal([proxy.count("/_bulk"), proxy.count("/_mget")], [1, 1]);
  });

  test(`${version}: a write that arrives late overwrites nothing, because later operations on its id are not sent`, async () => {
    const { index, proxy, gateway } = await setUp();
    await gateway.bulk(index, [put("same", 1)]);
    proxy.reset();
    const late = async (operations: Parameters<typeof gateway.bulk>[1]) => {
      proxy.fault({ path: "/_bulk", fault: { kind: "late" }, times: 1 });
      const answer = await gateway.bulk(index, operations);
      await proxy.release();
      return answer;
    };
    const changed = await late([put("a", 1), { id: "a", op: "update", doc: { n: 2 } }]);
    assert.equal([changed.status, changed.body.error.cause], [500, { unknown: "0", not_sent: "1" }]);
    assert.equal(await source(index, "a"), { n: 1 });

    // Nobody can tell whether these were done, because they ask for what was stored before.
    const replaced = await late([put("same", 1), { id: "same", op: "update", doc: { n: 2 } }]);
    const deleted = await late([{ id: "c", op: "delete" }, put("c", 1)]);
    for (const { status, items } of [replaced, deleted]) {
      assert.equal([status, items[0]?.error], [200, undefined]);
      assert.equal([items[1]?.status, items[1]?.error?.type], [409, "earlier_operation_unproven"]);
    }
    assert.equal(await source(index, "same"), { n: 1 });
    assert.is(await source(index, "c"), undefined);
  });

  test(`${version}: after a lost answer, create is 201 if the stored document is equal, and otherwise unknown`, async () => {
    const { index, proxy, gateway } = await setUp();
    const big = (n: string) => `{"index":"${index}","bulk_request":[{"id":"a","op":"create","doc":{"n":${n}}}]}`;
    proxy.fault({ path: "/_bulk", fault: { kind: "drop_after" }, times: 1 });
    const ours = await gateway.send(big("9007199254740993"));
    assert.equal([ours.items[0]?.status, ours.items[0]?.result], [201, "created"]);

    proxy.reset();
    proxy.fault({ path: "/_bulk", fault: { kind: "drop_after" }, times: 1 });
    // Both numbers are the same float; only their texts differ.
    const other = await gateway.send(big("9007199254740992"));
    assert.equal([other.status, other.body.error.code], [500, "outcome_unknown"]);
    assert.equal([proxy.count("/_bulk"), proxy.count("/_mget")], [1, 1]);
  });

  test(`${version}: a write with an unknown outcome is 500, and says what is known of each operation`, async () => {
    const { index, proxy, gateway } = await setUp({ max_bulk_bytes: 70 });
    proxy.fault({ path: "/_bulk", fault: { kind: "drop_before" }, after: 1 });
    const operations = Array.from({ length: 6 }, (_, n) => put(`d${n}`, n));
    const { status, body } = await gateway.bulk(index, operations);
    assert.equal([status, body.error.code], [500, "outcome_unknown"]);
    assert.match(body.error.message, "whether 2 of 6 operations were written is not known");
    assert.equal(body.error.cause, { written: "0-1", unknown: "2-3", not_sent: "4-5" });
    assert.equal([proxy.count("/_bulk"), proxy.count("/_mget")], [2, 1]);
  });

  test(`${version}: reports an unknown outcome after one write when the cluster cannot be read either`, async () => {
    const { index, proxy, gateway } = await setUp();
    proxy.fault({ path: "/_bulk", fault: { kind: "drop_after" } });
    proxy.fault({ path: "/_mget", fault: { kind: "status", status: 503 } });
    const { status, body } = await gateway.bulk(index, [put("a", 1)]);
    assert.equal([status, body.error.code, proxy.count("/_bulk")], [500, "outcome_unknown", 1]);
    assert.equal(body.error.cause, { unknown: "0" });
  });

  test(`${version}: gives up a slow write in time to read what it has done`, async () => {
    const given = async (kind: "hang_after" | "hang_before") => {
      const { index, proxy, gateway } = await setUp();
      proxy.fault({ path: "/_bulk", fault: { kind } });
      const started = performance.now();
      const answer = await gateway.bulk(index, [put("a", 1)], { remainingMs: REMAINING_MS });
      return { ...answer, took: performance.now() - started, writes: proxy.count("/_bulk") };
    };
    const [done, lost] = await Promise.all([given("hang_after"), given("hang_before")]);
    assert.equal([done.status, done.items[0]?.status], [200, 201]);
    assert.ok(done.took < REMAINING_MS);
    assert.equal([lost.status, lost.body.error.code], [500, "outcome_unknown"]);
    assert.equal([done.writes, lost.writes], [1, 1]);
  });

  for (const status of [429, 500, 502, 503, 504]) {
    test(`${version}: reads documents back after a ${status} that is not the cluster's own, because it may come after the write`, async () => {
      const { index, proxy, gateway } = await setUp();
      proxy.fault({ path: "/_bulk", fault: { kind: "answer", status, body: "<html>" }, times: 1 });
      const { items } = await gateway.bulk(index, [put("a", 1)]);
      assert.equal([items[0]?.status, items[0]?._version], [201, 1]);
      assert.equal([proxy.count("/_bulk"), proxy.count("/_mget")], [1, 1]);
    });
  }

  const item = (id: string) => ({ index: { _id: id, status: 201 } });
  for (const [what, items] of [
    ["too few items", []],
    ["items that are null", [null, null]],
    ["items in another order", [item("b"), item("a")]],
    ["items of another operation", [{ delete: { _id: "a", status: 200 } }, item("b")]],
  ] as const) {
    test(`${version}: reads documents back after an answer with ${what}`, async () => {
      const { index, proxy, gateway } = await setUp();
      const body = JSON.stringify({ took: 1, errors: false, items });
      proxy.fault({ path: "/_bulk", fault: { kind: "answer", status: 200, body }, times: 1 });
      const answer = await gateway.bulk(index, [put("a", 1), put("b", 1)]);
      assert.equal(
        answer.items.map(({ _id, status, _seq_no }) => [_id, status, typeof _seq_no]),
        [
          ["a", 201, "number"],
          ["b", 201, "number"],
        ],
      );
      assert.is(proxy.count("/_mget"), 1);
    });
  }

  for (const body of ["{}", '{"docs":[]}', '{"docs":[null]}', '{"docs":[{"_id":"other","found":false}]}']) {
    test(`${version}: reports an unknown outcome when documents are read back as ${body}`, async () => {
      const { index, proxy, gateway } = await setUp();
      proxy.fault({ path: "/_bulk", fault: { kind: "drop_after" } });
      proxy.fault({ path: "/_mget", fault: { kind: "answer", status: 200, body } });
      const answer = await gateway.bulk(index, [{ id: "a", op: "delete" }]);
      assert.equal([answer.status, answer.body.error.code], [500, "outcome_unknown"]);
    });
  }

  test(`${version}: an update that needs stored sources survives a lost answer`, async () => {
    const { index, proxy, gateway } = await setUpMapped();
    await gateway.bulk(index, [{ id: "1", op: "index", doc: { title: "a", body: "b" } }]);
    proxy.fault({ path: "/_bulk", fault: { kind: "drop_after" }, times: 1 });
    const done = await gateway.bulk(index, [{ id: "1", op: "update", doc: { body: "c" } }]);
    assert.equal([done.items[0]?.status, done.items[0]?._version], [200, 2], done.text);

    proxy.reset();
    proxy.fault({ path: "/_bulk", fault: { kind: "late" }, times: 1 });
    proxy.onCall((call) => (call.path.endsWith("/_bulk") && proxy.count("/_bulk") === 2 ? proxy.release() : undefined));
    const late = await gateway.bulk(index, [{ id: "1", op: "update", doc: { body: "d" } }]);
    assert.equal([late.items[0]?.status, late.items[0]?._version], [200, 3], late.text);
  });

  test(`${version}: a write whose answer was lost stays unknown when its second attempt is refused`, async () => {
    const { index, proxy, gateway } = await setUpMapped();
    await gateway.bulk(index, [{ id: "1", op: "index", doc: { title: "a", body: "b" } }]);
    proxy.reset();
    proxy.fault({ path: "/_bulk", fault: { kind: "drop_before" }, times: 1 });
    proxy.fault({ path: "/_bulk", fault: { kind: "status", status: 403 } });
    const { status, body } = await gateway.bulk(index, [{ id: "1", op: "update", doc: { body: "c" } }]);
    assert.equal([status, body.error.code, proxy.count("/_bulk")], [500, "outcome_unknown", 2]);
  });

  test(`${version}: an update that needs stored sources is embedded again when they changed meanwhile`, async () => {
    const { index, proxy, gateway } = await setUpMapped();
    await gateway.bulk(index, [{ id: "1", op: "index", doc: { title: "a", body: "b" } }]);
    proxy.fault({ path: "/_bulk", fault: { kind: "drop_before" }, times: 1 });
    proxy.onCall((call) =>
      call.path.endsWith("/_mget") && proxy.count("/_mget") === 2
        ? request(cluster, "POST", `/${index}/_update/1`, { doc: { title: "other" } })
        : undefined,
    );
    const { items } = await gateway.bulk(index, [{ id: "1", op: "update", doc: { body: "c" } }]);
    assert.is(items[0]?.status, 200);
    assert.equal(gateway.dense.calls.at(-1), ["other\nc"]);
    assert.equal((await source(index, "1"))?.title, "other");
  });

  test(`${version}: when a slow write has used up the time, the rest is not sent and reported as timed out`, async () => {
    const { index, proxy, gateway } = await setUp({ max_bulk_bytes: 70 });
    proxy.fault({ path: "/_bulk", fault: { kind: "hang_after" } });
    const operations = Array.from({ length: 4 }, (_, n) => put(`d${n}`, n));
    const { status, items } = await gateway.bulk(index, operations, { remainingMs: REMAINING_MS });
    assert.is(status, 200);
    assert.equal(
      items.map((item) => [item.status, item.error?.type, item.error?.retryable]),
      [
        [201, undefined, undefined],
        [201, undefined, undefined],
        [503, "timeout", true],
        [503, "timeout", true],
      ],
    );
    assert.is(proxy.count("/_bulk"), 1);
  });
}

test.run();

import * as assert from "uvu/assert";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { faultyCluster, put } from "../lib/search/bulk/faulty-cluster.ts";
import { suite } from "../suite.ts";

const test = suite("bulk through pipelines of the index");

for (const cluster of await clusters()) {
  const { version } = cluster;
  const { setUp, setUpMapped, source, stop } = faultyCluster(cluster, "piped");
  test.after(stop);

  /** An index with a default pipeline of these processors. */
  const setUpPiped = async (...processors: object[]) => {
    const pipeline = uniqueIndex("pipeline");
    assert.is((await request(cluster, "PUT", `/_ingest/pipeline/${pipeline}`, { processors })).status, 200);
    const { index, ...rest } = await setUp();
    await request(cluster, "PUT", `/${index}/_settings`, { index: { default_pipeline: pipeline } });
    return { index, ...rest };
  };

  test(`${version}: a document that the index's pipeline stores under another id is written, and its item says so`, async () => {
    const { index, gateway } = await setUpPiped({ set: { field: "_id", value: "own-{{n}}" } });
    const { status, body, items } = await gateway.bulk(index, [
      put("a", 1),
      { id: "b", op: "create", doc: { n: 2 } },
      { id: "own-1", op: "delete" },
    ]);
    assert.equal([status, body.index_response?.errors], [200, false], JSON.stringify(body));
    assert.equal(
      items.map(({ _id, result }) => [_id, result]),
      [
        ["own-1", "created"],
        ["own-2", "created"],
        ["own-1", "deleted"],
      ],
    );
    assert.equal([await source(index, "a"), await source(index, "own-2")], [undefined, { n: 2 }]);
  });

  test(`${version}: what the index's pipeline drops is a noop at its place, also if it is an upsert`, async () => {
    const { index, gateway } = await setUpPiped({ drop: { if: "ctx.n == 1" } });
    const { status, body, items } = await gateway.bulk(index, [
      { id: "a", op: "update", doc_as_upsert: true, doc: { n: 1 } },
      put("b", 2),
      put("c", 1),
    ]);
    assert.is(status, 200, JSON.stringify(body));
    assert.equal(
      body.index_response.items.map((item) => Object.entries(item).map(([op, { result }]) => [op, result])),
      [[["update", "noop"]], [["index", "created"]], [["index", "noop"]]],
    );
    assert.equal([await source(index, "a"), await source(index, "b")], [undefined, { n: 2 }]);
    assert.is(items[2]?._id, "c");
  });

  test(`${version}: an upsert on which the index's pipeline fails gets the pipeline's error`, async () => {
    const { index, gateway } = await setUpPiped({ fail: { message: "no upserts" } });
    const { status, items } = await gateway.bulk(index, [
      { id: "a", op: "update", doc_as_upsert: true, doc: { n: 1 } },
      put("b", 1),
    ]);
    assert.equal([status, ...items.map(({ error }) => error.reason)], [200, "no upserts", "no upserts"]);
  });

  test(`${version}: the answer is JSON if the cluster's has null in place of an item that callers do not see`, async () => {
    const { index, proxy, gateway } = await setUpMapped();
    const body = JSON.stringify({ took: 1, errors: false, items: [null, { index: { _id: "a", status: 201 } }] });
    proxy.fault({ path: "/_bulk", fault: { kind: "answer", status: 200, body }, times: 1 });
    const { status, items } = await gateway.bulk(index, [{ id: "a", op: "index", doc: { title: "salt" } }]);
    assert.equal([status, items], [200, [{ _id: "a", status: 201 }]]);
  });
}

test.run();

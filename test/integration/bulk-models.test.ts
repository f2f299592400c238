import * as assert from "uvu/assert";
import { HYBRID_MAPPING, hybridIndex, startGateway, startUpstreams } from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("bulk through the built gateway and the stand-in models");
const upstreams = await startUpstreams();
const { control } = upstreams.models;
const MODELS = ["dense_large_en_v1_5", "sparse_v3"] as const;

for (const cluster of await clusters()) {
  const index = uniqueIndex("models");
  const gateway = await startGateway({ node: cluster.url, settings: { indexes: [hybridIndex(index)] } });
  await request(cluster, "PUT", `/${index}`, HYBRID_MAPPING);
  test.before.each(() => control.reset());
  test.after(() => gateway.stop());

  test(`${cluster.version}: stores 500 documents, and embeds each text once, while models throttle every third call`, async () => {
    for (const model of MODELS) control.setFaults(model, [{ kind: "throttle", every: 3 }]);
    const bulk_request = Array.from({ length: 500 }, (_, i) => ({
      id: `d${i}`,
      op: "index",
      // Every tenth text occurs twice.
      doc: { text: `the story of number ${i % 450}`, year: i },
    }));
    const { status, body } = await gateway.post("/application/bulk", { index, bulk_request });
    assert.is(status, 200);
    const { items, errors } = body.index_response;
    assert.is(errors, false, JSON.stringify(items.find((item) => item.index?.error)));
    assert.equal(
      items.map((item) => item.index?._id),
      bulk_request.map(({ id }) => id),
    );
    for (const model of MODELS) {
      const served = control.served(model).flatMap(({ texts }) => texts);
      assert.is(served.length, 450);
      assert.is(new Set(served).size, 450);
      const { calls, succeeded } = control.counts(model);
      assert.ok(calls > succeeded, "some calls were throttled");
    }
    await request(cluster, "POST", `/${index}/_refresh`);
    const embedded = { query: { exists: { field: "text_dense" } } };
    const { body: count } = await request<{ count: number }>(cluster, "POST", `/${index}/_count`, embedded);
    assert.is(count.count, 500);
  });

  test(`${cluster.version}: a model that stays unavailable fails only the items that need it, in time`, async () => {
    control.setFaults("sparse_v3", [{ kind: "unavailable" }]);
    const { status, body } = await gateway.post("/application/bulk", {
      index,
      bulk_request: [
        { id: "needs", op: "index", doc: { text: "a text" } },
        { id: "free", op: "index", doc: { year: 1 } },
      ],
    });
    assert.is(status, 200);
    const [needs, free] = body.index_response.items.map((item) => item.index);
    assert.equal([needs?.status, needs?.error.type, needs?.error.retryable], [503, "embedding_failed", true]);
    assert.match(needs?.error.reason ?? "", /^text_sparse: /);
    assert.is(free?.status, 201);
  });
}

test.after(stopStarted);
test.run();

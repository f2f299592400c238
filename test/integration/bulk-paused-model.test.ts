import * as assert from "uvu/assert";
import { ModelPausedError } from "../../lib/search/embeddings/breaker.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { bulkGateway, MAPPED_INDEX, mappedIndex } from "../lib/search/bulk/support.ts";
import { suite } from "../suite.ts";

const test = suite("bulk while a model is paused");

// A model is paused whatever the version of the cluster.
for (const cluster of (await clusters()).slice(-1)) {
  const { version } = cluster;

  test(`${version}: says when to retry items whose model is paused`, async () => {
    const index = uniqueIndex("paused");
    await request(cluster, "PUT", `/${index}`, MAPPED_INDEX);
    const gateway = bulkGateway(cluster.url, { indexes: [mappedIndex(index)] });
    gateway.dense.failing = (text) => (text === "bad" ? new ModelPausedError("it hangs", 7_100) : undefined);
    const { status, items, headers } = await gateway.bulk(index, [
      { id: "1", op: "index", doc: { title: "bad" } },
      { id: "2", op: "index", doc: { title: "good" } },
    ]);
    assert.equal([status, headers["retry-after"]], [200, "8"]);
    assert.equal([items[0]?.status, items[1]?.status], [503, 201]);
    const reason = "dense: calls to the model are paused for some seconds, because the last ones failed: it hangs";
    assert.equal(items[0]?.error, { type: "embedding_failed", reason, retryable: true, retry_after: 8 } as object);
  });
}

test.run();

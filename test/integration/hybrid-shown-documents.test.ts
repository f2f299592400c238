import * as assert from "uvu/assert";
import { HYBRID_MAPPING, hybridIndex, startGateway, startUpstreams } from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";

const test = suite("documents that a hybrid search shows beside its hits");
const upstreams = await startUpstreams();
const toStop: Array<{ stop(): Promise<void> }> = [upstreams];

for (const cluster of await clusters()) {
  test(`${cluster.version}: embeddings are left out of inner hits and top_hits, unless asked for`, async () => {
    const index = uniqueIndex("shown");
    const gateway = await startGateway({ node: cluster.url, settings: { indexes: [hybridIndex(index)] } });
    toStop.unshift(gateway);
    const properties = { ...HYBRID_MAPPING.mappings.properties, parts: { type: "nested" } };
    await request(cluster, "PUT", `/${index}`, { ...HYBRID_MAPPING, mappings: { properties } });
    const doc = { text: "salt road", genre: "a", parts: [{ word: "salt" }] };
    const bulk_request = [{ id: "1", op: "index", doc }];
    await gateway.post("/application/bulk", { index, bulk_request });
    await request(cluster, "POST", `/${index}/_refresh`);
    const found = async (own: object) => {
      const nested = { path: "parts", query: { match: { "parts.word": "salt" } }, inner_hits: own };
      const search_request_template = {
        query: { hybrid: { queries: [{ match: { text: "salt" } }, { nested }] } },
        aggs: { genres: { terms: { field: "genre" }, aggs: { best: { top_hits: { size: 1, ...own } } } } },
        ...(cluster.version.startsWith("3.") && {
          collapse: { field: "genre", inner_hits: { name: "same", ...own } },
        }),
      };
      return gateway.post("/application/hybrid-search", { index, search_query: "salt", search_request_template });
    };
    const shown = await found({});
    assert.is(shown.status, 200, shown.text);
    const { hits, aggregations } = shown.body.search_response as unknown as Record<string, object>;
    assert.match(JSON.stringify(aggregations), "salt road");
    assert.match(JSON.stringify(hits), "salt road");
    assert.not.match(JSON.stringify([hits, aggregations]), /text_(dense|sparse)"/);
    const asked = await found({ _source: ["text_sparse", "parts.word"] });
    assert.is(asked.status, 200, asked.text);
    assert.match(JSON.stringify(asked.body.search_response), /"text_sparse":/);
  });
}

test.after(async () => {
  for (const started of toStop) await started.stop();
});

test.run();

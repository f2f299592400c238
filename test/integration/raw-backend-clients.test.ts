import { Client } from "@opensearch-project/opensearch";
import * as assert from "uvu/assert";
import { API_KEY, startGateway, type TestGateway } from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { runPython } from "../fixtures/opensearch-py.ts";
import { suite } from "../suite.ts";

const test = suite("raw backend: the helpers of the unmodified clients");
const toStop: Array<{ stop(): Promise<unknown> }> = [];

for (const cluster of await clusters()) {
  const { version } = cluster;
  let gateway: TestGateway;
  let through: Client;
  const create = async (prefix: string) => {
    const index = uniqueIndex(prefix);
    await request(cluster, "PUT", `/${index}`, { settings: { number_of_replicas: 0 } });
    return index;
  };

  test.before(async () => {
    gateway = await startGateway({ node: cluster.url });
    through = new Client({
      node: `${gateway.url}/raw-backend`,
      compression: "gzip",
      headers: { "x-api-key": API_KEY },
    });
    toStop.unshift({ stop: () => through.close() }, gateway);
  });

  test(`${version}: opensearch-js: bulk, scrollDocuments, scrollSearch, search, msearch`, async () => {
    const index = await create("helpers");
    const datasource = Array.from({ length: 1_200 }, (_, n) => ({ n }));
    const stats = await through.helpers.bulk({
      datasource,
      flushBytes: 10_000,
      refreshOnCompletion: index,
      onDocument: ({ n }: { n: number }) => ({ index: { _index: index, _id: `d/${n}` } }),
    } as never);
    assert.equal([stats.total, stats.successful, stats.failed], [1_200, 1_200, 0]);

    const seen: unknown[] = [];
    for await (const document of through.helpers.scrollDocuments({ index, size: 500, sort: ["n"] } as never)) {
      seen.push(document);
    }
    assert.equal(seen, datasource);
    let pages = 0;
    for await (const _page of through.helpers.scrollSearch({ index, size: 500 } as never)) pages += 1;
    assert.is(pages, 3);
    const found = await through.helpers.search({
      index,
      size: 3,
      body: { query: { range: { n: { lt: 2 } } } },
    } as never);
    assert.is(found.length, 2);
    const several = through.helpers.msearch();
    const { body } = await several.search({ index }, { query: { match_all: {} }, track_total_hits: true } as never);
    several.stop();
    assert.is((body as { hits: { total: { value: number } } }).hits.total.value, 1_200);
  });

  test(`${version}: opensearch-py: bulk, parallel_bulk, streaming_bulk, scan, reindex, Search`, async () => {
    const [index, copy] = [await create("py"), await create("py-copy")];
    const script = `
actions = lambda kind: ({"_index": "${index}", "_id": f"{kind}/{n} \\u00e9", "_source": {"n": n}} for n in range(400))
bulk = helpers.bulk(client, actions("bulk"), chunk_size=100)
parallel = list(helpers.parallel_bulk(client, actions("parallel"), chunk_size=100))
streamed = list(helpers.streaming_bulk(client, actions("streamed"), chunk_size=100, refresh=True))
client.indices.refresh(index="${index}")
scanned = sorted(hit["_id"] for hit in helpers.scan(client, index="${index}", size=250))
copied = helpers.reindex(client, "${index}", "${copy}")
client.indices.refresh(index=["${copy}"])
from opensearchpy import Search
found = Search(using=client, index="${index}").query("range", n={"lt": 2}).sort("n")
print(json.dumps({
    "bulk": bulk[0],
    "parallel": sum(ok for ok, _ in parallel),
    "streamed": sum(ok for ok, _ in streamed),
    "scanned": [len(scanned), scanned[0]],
    "copied": [copied[0], client.count(index="${copy}")["count"]],
    "found": [found.count(), [hit.n for hit in found[:4].execute()], sum(1 for _ in found.scan())],
    "missing": client.exists(index="${index}", id="none"),
    "version": client.info()["version"]["number"],
}))`;
    assert.equal(await runPython(`${gateway.url}/raw-backend`, API_KEY, script), {
      bulk: 400,
      parallel: 400,
      streamed: 400,
      scanned: [1_200, "bulk/0 é"],
      copied: [1_200, 1_200],
      found: [6, [0, 0, 0, 1], 6],
      missing: false,
      version,
    });
  });
}

test.after(async () => {
  for (const started of toStop) await started.stop();
});

test.run();

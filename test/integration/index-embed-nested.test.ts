import { join } from "node:path";
import * as assert from "uvu/assert";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { corpus } from "../fixtures/corpus.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { HYBRID_MAPPING, hybridIndex, SETTINGS, startGateway, startUpstreams } from "../fixtures/gateway.ts";
import { indexCli, writeConf } from "../fixtures/index-cli.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("relevance index with embeddings inside objects");
await startUpstreams();
const conf = join(scratchFolder(TEST_OUTPUT, "index-embed-nested"), "conf");

const COUNT = 120;

for (const cluster of await clusters()) {
  test(`${cluster.version}: a rebuild recomputes vectors inside objects, and keeps the other fields of those objects`, async () => {
    const alias = uniqueIndex("nested");
    const embedding = {
      embedding_field: "shelf.vectors.dense",
      model_name: "dense_large_en_v1_5",
      src_fields: ["text"],
    };
    writeConf(conf, { dense_large_en_v1_5: { endpoint_name: "first" } }, [
      { index: alias, embedding_mappings: [embedding] },
    ]);
    const { text, text_dense } = HYBRID_MAPPING.mappings.properties;
    await request(cluster, "PUT", `/${alias}-1`, {
      ...HYBRID_MAPPING,
      mappings: { properties: { text, shelf: { properties: { vectors: { properties: { dense: text_dense } } } } } },
      aliases: { [alias]: {} },
    });
    const gateway = await startGateway({
      node: cluster.url,
      settings: {
        models: SETTINGS.models.map((model) => ({ ...model, revision: "first" })),
        indexes: [hybridIndex(alias, { embedding_mappings: [embedding as never] })],
      },
    });
    // Written directly to the cluster with another model's vector, so that only recomputing gives the right one.
    const foreign = Array.from({ length: 1024 }, (_, at) => (at === 0 ? 1 : 0));
    const documents = corpus(COUNT).map(({ id, doc }) => ({
      id,
      doc: { text: doc.text, shelf: { row: `row of ${id}`, vectors: { dense: foreign, by: "another" } } },
    }));
    const lines = documents.map(({ id, doc }) => `${JSON.stringify({ index: { _id: id } })}\n${JSON.stringify(doc)}\n`);
    await request(cluster, "POST", `/${alias}/_bulk?refresh=true`, lines.join(""));

    const rebuilt = await indexCli(conf, gateway.url).run("rebuild", "--index", alias, "--embed", "--json");
    assert.is(rebuilt.code, 0, rebuilt.err);
    const { phase, tally } = JSON.parse(rebuilt.out);
    assert.equal([phase, tally.written, tally.rejected], ["switched", COUNT, 0]);

    type Hit = { _id: string; _source: (typeof documents)[number]["doc"] };
    const { body } = await request<{ hits: { hits: Hit[] } }>(cluster, "POST", `/${alias}/_search`, {
      size: COUNT,
      query: { match_all: {} },
    });
    const found = new Map(body.hits.hits.map(({ _id, _source }) => [_id, _source]));
    for (const { id, doc } of documents) {
      const shelf = found.get(id)?.shelf;
      assert.equal([shelf?.row, shelf?.vectors.by], [doc.shelf.row, "another"]);
      assert.is(shelf?.vectors.dense.length, 1024);
      assert.not.equal(shelf?.vectors.dense, foreign, `${id} has a vector of its own`);
    }
  });
}

test.after(stopStarted);

test.run();

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { vectorField, vectorsOfField } from "../../lib/config/vectors.ts";
import { createLexicalModel } from "../../local/embeddings/lexical-model.ts";
import { scratchFolder } from "../../local/process/scratch.ts";
import { corpus } from "../fixtures/corpus.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { withEvenVectors } from "../fixtures/even-vectors.ts";
import { hybridIndex, startGateway, startUpstreams } from "../fixtures/gateway.ts";
import { cli, type Stored, vectorsIn } from "../fixtures/index-cli.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";

const test = suite("another kind of vectors under load");
const folder = scratchFolder(TEST_OUTPUT, "rebuild-bits");
const toStop: Array<{ stop(): Promise<void> }> = [
  await startUpstreams({ dense: withEvenVectors(await createLexicalModel()) }),
];

const QUERIES = ["salt harbour", "storm at the lighthouse", "caravan in the dunes", "a fox on moss"];

for (const cluster of await clusters()) {
  test(`${cluster.version}: an index goes from floats to seven bits while it is written to, measured before the switch`, async () => {
    const alias = uniqueIndex("bits");
    const conf = join(folder, alias);
    mkdirSync(conf, { recursive: true });
    writeFileSync(join(conf, "model.yaml"), "dense_large_en_v1_5: {endpoint_name: dense, revision: '1'}\n");
    writeFileSync(
      join(conf, "hybrid_search.yaml"),
      `hybrid_queries:
  - index: ${alias}
    embedding_mappings:
      - {embedding_field: text_dense, model_name: dense_large_en_v1_5, src_fields: [text], vectors: sq}
`,
    );
    const plain = `${alias}-plain`;
    const [dense] = hybridIndex(alias).embedding_mappings;
    const embedding_mappings = dense ? [dense] : [];
    const gateway = await startGateway({
      node: cluster.url,
      settings: { indexes: [alias, plain].map((index) => hybridIndex(index, { embedding_mappings })) },
      key: { endpoints: ["administration", "bulk", "hybrid-search"], indexes: [`${alias}*`], scripts: true },
    });
    toStop.unshift(gateway);
    const properties = { text: { type: "text" }, text_dense: vectorField("float", 1_024) };
    const body = { settings: { index: { knn: true, number_of_replicas: 0 } }, mappings: { properties } };
    await request(cluster, "PUT", `/${alias}-1`, { ...body, aliases: { [alias]: {} } });
    await request(cluster, "PUT", `/${plain}`, body);
    const texts = corpus(80).map(({ doc: { text } }) => text);
    const expected = new Map<string, string>();
    const write = async (index: string, documents: Iterable<[string, string | undefined]>) => {
      const bulk_request = [...documents].map(([id, text]) =>
        text === undefined ? { id, op: "delete" } : { id, op: "index", doc: { text } },
      );
      const answer = await gateway.post("/application/bulk", { index, refresh: true, bulk_request });
      assert.is(answer.body.index_response?.errors, false, answer.text.slice(0, 500));
      if (index === plain) return;
      for (const [id, text] of documents) text === undefined ? expected.delete(id) : expected.set(id, text);
    };
    await write(
      alias,
      texts.slice(0, 60).map((text, at) => [`d${at}`, text]),
    );
    let isWriting = true;
    let round = 0;
    const writer = (async () => {
      for (; isWriting || round < 5; round += 1) {
        // Few of them, since recall counts what the run has not copied yet as missed.
        const [changed, added, gone] = [round % 3, 60 + (round % 5), 30 + (round % 3)];
        await write(alias, [
          [`d${changed}`, texts[(round * 7) % 80]],
          [`d${added}`, texts[added]],
          ...(expected.has(`d${gone}`) ? [[`d${gone}`, undefined] as [string, undefined]] : []),
        ]);
      }
    })();
    const run = cli(conf, gateway.url);
    const queries = join(conf, "queries.txt");
    writeFileSync(queries, QUERIES.join("\n"));
    const rebuilt = await run("rebuild", "--index", alias, "--no-switch", "--json");
    assert.is(rebuilt.code, 0, rebuilt.err);
    const { id, target } = JSON.parse(rebuilt.out);
    const measured = await run("recall", "--index", alias, "--run", id, "--queries", queries, "--json");
    assert.is(measured.code, 0, measured.err);
    const [report] = JSON.parse(measured.out);
    assert.is(report.queries, QUERIES.length, measured.out);
    assert.ok(report.recall.mean > 0.8, measured.out);
    const switched = await run("switch", "--run", id);
    assert.is(switched.code, 0, switched.err);
    isWriting = false;
    await writer;
    await write(plain, expected);
    const { body: mapping } = await request<Stored>(cluster, "GET", `/${alias}/_mapping`);
    assert.is(vectorsOfField(mapping[target]?.mappings.properties.text_dense ?? {}), "sq");
    await request(cluster, "POST", `/${alias}/_refresh`);
    const ordered = (vectors: Map<string, number[]>) => [...vectors].sort(([one], [other]) => one.localeCompare(other));
    assert.equal(ordered(await vectorsIn(cluster, alias)), ordered(await vectorsIn(cluster, plain)));
  });
}

test.after(async () => {
  for (const one of toStop) await one.stop();
});

test.run();

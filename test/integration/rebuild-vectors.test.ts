import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { byteVector } from "../../lib/search/embeddings/byte-vector.ts";
import { lacking, type Vectors, vectorField, vectorsOfField } from "../../lib/settings/vectors.ts";
import { createLexicalModel } from "../../packages/local-models/lexical-model.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { corpus } from "../fixtures/corpus.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { withEvenVectors } from "../fixtures/even-vectors.ts";
import { hybridIndex, startGateway, startUpstreams } from "../fixtures/gateway.ts";
import { indexCli, type Stored, vectorsIn, writeConf } from "../fixtures/index-cli.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { stopStarted } from "../fixtures/started.ts";
import { suite } from "../suite.ts";

const test = suite("other kinds of vectors under load");
const folder = scratchFolder(TEST_OUTPUT, "rebuild-vectors");
await startUpstreams({ dense: withEvenVectors(await createLexicalModel()) });

const QUERIES = ["salt harbour", "storm at the lighthouse", "caravan in the dunes", "a fox on moss"];

/** An index that is rebuilt: its fields, and how they are stored before and afterwards. */
interface Story {
  model: "dense_large_en_v1_5" | "sparse_v3";
  kinds: Readonly<Record<string, { before: Vectors; after: Vectors }>>;
  /** What a rebuild needs besides: tokens have other names there. */
  more: readonly string[];
}

/** Every kind of vectors that the local engine writes, where the version has it. */
const STORIES: readonly Story[] = [
  {
    model: "dense_large_en_v1_5",
    kinds: { text_bytes: { before: "float", after: "byte" }, text_bits: { before: "float", after: "sq" } },
    more: [],
  },
  {
    model: "sparse_v3",
    kinds: { text_tokens: { before: "rank_features", after: "sparse_vector" } },
    more: ["--embed"],
  },
];

for (const cluster of await clusters()) {
  test(`${cluster.version}: an index in use goes to each kind of vectors while it is written to, measured before the switch`, async () => {
    const own = uniqueIndex("kinds");
    const conf = join(folder, own);
    const stories = STORIES.flatMap(({ model, kinds, more }, at) => {
      const fields = Object.entries(kinds).filter(([, { after }]) => !lacking(after, cluster.version));
      return fields.length > 0 ? [{ model, fields, more, alias: `${own}-${at}`, plain: `${own}-${at}-plain` }] : [];
    });
    const entries = stories.map(({ model, fields, alias: index }) => ({
      index,
      embedding_mappings: fields.map(([embedding_field, { after: vectors }]) => ({
        ...{ embedding_field, model_name: model, src_fields: ["text"] },
        vectors,
      })),
    }));
    const named = (endpoint_name: string) => ({ endpoint_name, revision: "1" });
    writeConf(conf, { dense_large_en_v1_5: named("dense"), sparse_v3: named("sparse") }, entries);
    const gateway = await startGateway({
      node: cluster.url,
      settings: {
        indexes: stories.flatMap(({ model: model_name, fields, alias, plain }) => {
          const embedding_mappings = fields.map(([embedding_field]) => ({
            ...{ embedding_field, model_name, src_fields: ["text"] },
          }));
          return [alias, plain].map((index) => hybridIndex(index, { embedding_mappings }));
        }),
      },
      key: { endpoints: ["administration", "bulk", "hybrid-search"], indexes: [`${own}*`], scripts: true },
    });
    const create = async (name: string, fields: ReadonlyArray<[string, Vectors]>, more: object = {}) => {
      const isSparse = fields.some(([, vectors]) => vectors === "sparse_vector");
      const vectorFields = fields.map(([field, vectors]) => [
        field,
        vectorField(vectors, vectors === "float" ? 1_024 : undefined),
      ]);
      const { status, body } = await request(cluster, "PUT", `/${name}`, {
        settings: { index: { ...(isSparse ? { sparse: true } : { knn: true }), number_of_replicas: 0 } },
        mappings: { properties: { text: { type: "text" }, ...Object.fromEntries(vectorFields) } },
        ...more,
      });
      assert.is(status, 200, JSON.stringify(body).slice(0, 500));
    };
    for (const { fields, alias, plain } of stories) {
      const before = fields.map(([field, kinds]): [string, Vectors] => [field, kinds.before]);
      await create(`${alias}-1`, before, { aliases: { [alias]: {} } });
      // Bytes are compared with those of the floats, and tokens with those of an index that always had them so.
      await create(
        plain,
        fields.map(([field, { before, after }]) => [field, after === "sparse_vector" ? after : before]),
      );
    }
    const texts = corpus(80).map(({ doc: { text } }) => text);
    const expected = new Map<string, string>();
    const write = async (index: string, documents: Iterable<[string, string | undefined]>) => {
      const bulk_request = [...documents].map(([id, text]) =>
        text === undefined ? { id, op: "delete" } : { id, op: "index", doc: { text } },
      );
      const answer = await gateway.post("/application/bulk", { index, refresh: true, bulk_request });
      assert.is(answer.body.index_response?.errors, false, answer.text.slice(0, 500));
      assert.is(answer.body.degraded, undefined);
    };
    const writeAll = async (documents: ReadonlyArray<[string, string | undefined]>) => {
      await Promise.all(stories.map(({ alias }) => write(alias, documents)));
      for (const [id, text] of documents) text === undefined ? expected.delete(id) : expected.set(id, text);
    };
    await writeAll(texts.slice(0, 60).map((text, at) => [`d${at}`, text]));
    let isWriting = true;
    let round = 0;
    const writer = (async () => {
      for (; isWriting || round < 5; round += 1) {
        // Few of them, since recall counts what the run has not copied yet as missed.
        const [changed, added, gone] = [round % 3, 60 + (round % 5), 30 + (round % 3)];
        await writeAll([
          [`d${changed}`, texts[(round * 7) % 80]],
          [`d${added}`, texts[added]],
          ...(expected.has(`d${gone}`) ? [[`d${gone}`, undefined] as [string, undefined]] : []),
        ]);
      }
    })();
    // Awaited at the end; until then its failure is nobody's.
    writer.catch(() => undefined);
    const { run } = indexCli(conf, gateway.url);
    const queries = join(conf, "queries.txt");
    writeFileSync(queries, QUERIES.join("\n"));
    const runs = stories.map(async ({ alias, fields, more }) => {
      const rebuilt = await run("rebuild", "--index", alias, "--no-switch", ...more, "--json");
      assert.is(rebuilt.code, 0, rebuilt.err);
      const { id, target } = JSON.parse(rebuilt.out);
      const measured = await run("recall", "--index", alias, "--run", id, "--queries", queries, "--json");
      assert.is(measured.code, 0, measured.err);
      const reports = JSON.parse(measured.out) as Array<{ field: string; queries: number; recall: { mean: number } }>;
      assert.equal(
        reports.map(({ field }) => field),
        fields.map(([field]) => field),
      );
      for (const report of reports) {
        assert.is(report.queries, QUERIES.length, measured.out);
        assert.ok(report.recall.mean > 0.8, measured.out);
      }
      const switched = await run("switch", "--run", id);
      assert.is(switched.code, 0, switched.err);
      return String(target);
    });
    const targets = await Promise.all(runs).finally(async () => {
      isWriting = false;
      // After a failure of one, the others still need the gateway.
      await Promise.allSettled(runs);
      await writer;
    });
    for (const [at, { alias, plain, fields }] of stories.entries()) {
      await write(plain, expected);
      await request(cluster, "POST", `/${alias}/_refresh`);
      const { body: mapping } = await request<Stored>(cluster, "GET", `/${alias}/_mapping`);
      for (const [field, { after }] of fields) {
        assert.is(vectorsOfField(mapping[targets[at] ?? ""]?.mappings.properties[field] ?? {}), after);
        const stored = await vectorsIn<unknown>(cluster, alias, field);
        const wanted = await vectorsIn<unknown>(cluster, plain, field);
        assert.is(stored.size, expected.size);
        const ordered = (embedded: Map<string, unknown>, quantize = (one: unknown) => one) =>
          [...embedded]
            .sort(([one], [other]) => one.localeCompare(other))
            .map(([id, embedding]) => [id, quantize(embedding)]);
        const bytes = after === "byte" ? (one: unknown) => byteVector(one as number[]) : undefined;
        assert.equal(ordered(stored), ordered(wanted, bytes), `${field} as ${after}`);
      }
    }
  });
}

test.after(stopStarted);

test.run();

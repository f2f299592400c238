import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { scratchFolder } from "../../local/process/scratch.ts";
import { waitFor } from "../../local/process/wait.ts";
import type { Run } from "../cli/run-cli.ts";
import { corpus } from "../fixtures/corpus.ts";
import { ROOT, TEST_OUTPUT } from "../fixtures/env.ts";
import { HYBRID_MAPPING, hybridIndex, startGateway, startUpstreams } from "../fixtures/gateway.ts";
import { indexCli, toGateway } from "../fixtures/index-cli.ts";
import { clusters, request, uniqueIndex, writesTo } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";

const test = suite("relevance index import");
const folder = scratchFolder(TEST_OUTPUT, "index-import-command");
const toStop: Array<{ stop(): Promise<void> }> = [await startUpstreams()];

for (const cluster of await clusters()) {
  test(`${cluster.version}: imports with embeddings, stops on Ctrl-C, and resumes`, async () => {
    const index = uniqueIndex("embedded");
    const conf = join(folder, `conf-${cluster.version}`);
    mkdirSync(conf, { recursive: true });
    writeFileSync(
      join(conf, "model.yaml"),
      "dense_large_en_v1_5: {endpoint_name: dense}\nsparse_v3: {endpoint_name: sparse}\n",
    );
    writeFileSync(
      join(conf, "hybrid_search.yaml"),
      `hybrid_queries:
  - index: ${index}
    embedding_mappings:
      - {embedding_field: text_dense, model_name: dense_large_en_v1_5, src_fields: [text]}
      - {embedding_field: text_sparse, model_name: sparse_v3, src_fields: [text]}
`,
    );
    const gateway = await startGateway({
      node: cluster.url,
      settings: { indexes: [hybridIndex(index)] },
      key: { endpoints: ["administration", "bulk"] },
    });
    toStop.unshift(gateway);
    await request(cluster, "PUT", `/${index}`, HYBRID_MAPPING);
    const documents = corpus(700).map(({ id, doc }) => ({ id, ...doc, year: 2000 }));
    const file = join(folder, `${index}.ndjson`);
    writeFileSync(file, documents.map((one) => JSON.stringify({ isbn: one.id, text: one.text })).join("\n"));
    const { run } = indexCli(conf, gateway.url);
    const start = (...args: string[]) => {
      const ended = Promise.withResolvers<Run>();
      const command = ["cli/main.ts", "index", ...args, ...toGateway(conf, gateway.url)];
      const child = execFile(process.execPath, command, { cwd: ROOT }, (error, out, err) =>
        ended.resolve({ code: Number(error?.code ?? 0), out, err }),
      );
      return { child, ended: ended.promise };
    };

    const left = start("import", "--index", index, "--from", file, "--format", "documents", "--id-field", "isbn");
    await waitFor(async () => (await writesTo(cluster, index)) > 0, { what: "the first documents", timeoutMs: 60_000 });
    left.child.kill("SIGINT");
    const { code, err } = await left.ended;
    assert.is(code, 1, err);
    const [, id = ""] = /Resume the run with: relevance index import --resume (\S+)/.exec(err) ?? [];
    assert.match((await run("status")).out, id);
    const resumed = await run("import", "--resume", id);
    assert.is(resumed.code, 0, resumed.err);
    assert.match(resumed.out, /^700 read, \d+ written, \d+ unchanged, 0 rejected/);
    const { body } = await request<{ count: number }>(cluster, "POST", `/${index}/_count`, {
      query: { exists: { field: "text_dense" } },
    });
    assert.is(body.count, 700);
    assert.is(await writesTo(cluster, index), 700, "nothing is written twice");
    assert.match((await run("cancel", "--run", id, "--forget")).out, "Deleted the records");
  });
}

test.after(async () => {
  for (const started of toStop) await started.stop();
});

test.run();

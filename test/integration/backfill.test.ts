import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { scratchFolder } from "../../local/process/scratch.ts";
import { corpus } from "../fixtures/corpus.ts";
import { ROOT, TEST_OUTPUT } from "../fixtures/env.ts";
import { API_KEY, HYBRID_MAPPING, hybridIndex, startGateway, startUpstreams } from "../fixtures/gateway.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";

const test = suite("backfill");
const upstreams = await startUpstreams();
const { control } = upstreams.models;
const toStop: Array<{ stop(): Promise<void> }> = [upstreams];

const conf = join(scratchFolder(TEST_OUTPUT, "backfill"), "conf");
mkdirSync(conf);

/** Runs the command as a user does. */
function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    const command = ["cli/main.ts", "backfill", "--conf", conf, ...args];
    execFile(process.execPath, command, { cwd: ROOT }, (error, out, err) => {
      resolve({ code: Number(error?.code ?? 0), out, err });
    });
  });
}

for (const cluster of await clusters()) {
  const index = uniqueIndex("backfill");

  test(`${cluster.version}: documents that a failing model left without vectors are embedded, the others not touched`, async () => {
    writeFileSync(
      join(conf, "hybrid_search.yaml"),
      `hybrid_queries:
  - index: ${index}
    embedding_mappings:
      - {embedding_field: text_dense, model_name: dense_large_en_v1_5, src_fields: [text]}
      - {embedding_field: text_sparse, model_name: sparse_v3, src_fields: [text]}
`,
    );
    const failing = hybridIndex(index, { on_embedding_failure: { write: "degrade", query: "degrade" } });
    const gateway = await startGateway({ node: cluster.url, settings: { indexes: [failing] } });
    toStop.unshift(gateway);
    await request(cluster, "PUT", `/${index}`, HYBRID_MAPPING);
    const write = async (from: number, to: number) => {
      const bulk_request = corpus(to)
        .slice(from)
        .map(({ id, doc }) => ({ id, op: "index", doc }));
      const { body } = await gateway.post("/application/bulk", { index, bulk_request });
      assert.is(body.index_response.errors, false);
    };
    await write(0, 230);
    control.setFaults("dense_large_en_v1_5", [{ kind: "status", status: 500 }]);
    await write(230, 260);
    control.setFaults("dense_large_en_v1_5", []);
    control.setFaults("sparse_v3", [{ kind: "status", status: 500 }]);
    await write(260, 290);
    control.reset();
    await request(cluster, "PUT", `/${index}/_doc/no-text`, { year: 2000 });
    await request(cluster, "POST", `/${index}/_refresh`);
    const before = await request<{ _version: number }>(cluster, "GET", `/${index}/_doc/d5`);

    const { code, out, err } = await run("--index", index, "--api-host", gateway.url, "--api-key", API_KEY);
    assert.is(code, 0, err);
    assert.match(out, "291 documents read, 60 without an embedding, 60 embedded, 0 failed");
    await request(cluster, "POST", `/${index}/_refresh`);
    for (const id of ["d231", "d261"]) {
      const { body } = await request<{ _source: Record<string, object> }>(cluster, "GET", `/${index}/_doc/${id}`);
      assert.ok(Object.keys(body._source.text_dense ?? {}).length === 1024, `${id} has its vector`);
      assert.ok(Object.keys(body._source.text_sparse ?? {}).length > 0, `${id} has its weights`);
    }
    const after = await request<{ _version: number }>(cluster, "GET", `/${index}/_doc/d5`);
    assert.is(after.body._version, before.body._version);

    const again = await run("--index", index, "--api-host", gateway.url, "--api-key", API_KEY, "--json");
    assert.equal(JSON.parse(again.out), { read: 291, lacking: 0, embedded: 0, failed: [] });
  });
}

test("an index without a mapping is wrong use, and names those there are", async () => {
  const { code, err } = await run("--index", "nope", "--api-host", "http://127.0.0.1:9", "--api-key", "k");
  assert.is(code, 2);
  assert.match(err, "no mapping for the index nope: choose one of backfill-");
});

test.after(async () => {
  for (const started of toStop) await started.stop();
});

test.run();

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { embeddingWriter } from "../../cli/gateway/embedding-writer.ts";
import { type BackfillFields, createBackfill, workOnBackfill } from "../../lib/search/index/backfill.ts";
import { RunFailure } from "../../lib/search/index/rebuild/failure.ts";
import { cancelRun } from "../../lib/search/index/rebuild/finish.ts";
import { createPace } from "../../lib/search/index/rebuild/pace.ts";
import { createRunCalls } from "../../lib/search/index/rebuild/run-calls.ts";
import { readBackfill } from "../../lib/search/index/rebuild/run-record.ts";
import { noAuth } from "../../lib/search/opensearch/auth.ts";
import { createCluster } from "../../lib/search/opensearch/client.ts";
import type { Cluster } from "../../lib/search/opensearch/cluster.ts";
import { clusterBehind } from "../../packages/lab/gateway/gateway.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { relevanceBeside } from "../cli/run-cli.ts";
import { runHere } from "../cli/run-here.ts";
import { corpus } from "../fixtures/corpus.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { untilStopped } from "../fixtures/faulty-cluster.ts";
import { API_KEY, HYBRID_MAPPING, hybridIndex, startGateway, startUpstreams } from "../fixtures/gateway.ts";
import { toGateway } from "../fixtures/index-cli.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";

const test = suite("backfill");
const upstreams = await startUpstreams();
const { control } = upstreams.models;
const toStop: Array<{ stop(): Promise<void> }> = [upstreams];

const conf = join(scratchFolder(TEST_OUTPUT, "backfill"), "conf");
mkdirSync(conf);

const fieldsOf = (index: string): BackfillFields => ({
  mappings: hybridIndex(index).embedding_mappings,
  dense: new Set(["text_dense"]),
});

/** Every tenth document has its own routing. */
const routed = (id: string) => ({ _id: id, ...(id.endsWith("3") && { routing: "r" }) });

/** A process that works on a backfill. Dies at the bulk request at which `diesAt` says so. */
function processOn(native: Cluster, url: string, diesAt: (sent: number) => Promise<boolean>) {
  const stopped = Promise.withResolvers<void>();
  const searched: Array<{ shard: number; from: number }> = [];
  const cluster: Cluster = {
    send(request, timeoutMs) {
      const shard = /_shards%3A(\d+)/.exec(request.query ?? "")?.[1];
      if (shard !== undefined)
        searched.push({ shard: Number(shard), from: Number(/"gte":(\d+)/.exec(String(request.body))?.[1]) });
      return native.send(request, timeoutMs);
    },
  };
  let sent = 0;
  const api = clusterBehind(url, API_KEY, "");
  const dying: Cluster = {
    async send(request, timeoutMs) {
      sent += 1;
      if (await diesAt(sent)) {
        stopped.resolve();
        return new Promise(() => {});
      }
      return api.send(request, timeoutMs);
    },
  };
  // Each reading of the clock is a second later, so every page saves a checkpoint.
  let clock = 0;
  const pace = createPace(1);
  return {
    searched,
    stopped: stopped.promise,
    work: (id: string, index: string, fields = fieldsOf(index)) =>
      workOnBackfill({
        ...fields,
        calls: createRunCalls({ cluster, pace }),
        id,
        embeddingWriter: embeddingWriter(createRunCalls({ cluster: dying, pace: createPace(1) })),
        most: 1,
        now: () => (clock += 1_000),
      }),
  };
}

async function rejects(work: Promise<unknown>, pattern: RegExp): Promise<void> {
  const error = await work.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  assert.instance(error, RunFailure);
  assert.match(String(error), pattern);
}

for (const cluster of await clusters()) {
  const index = uniqueIndex("backfill");

  test(`${cluster.version}: embeds only the documents that a failing model left without vectors`, async () => {
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
    const gateway = await startGateway({
      node: cluster.url,
      settings: { indexes: [failing] },
      key: { endpoints: ["administration", "bulk"], indexes: [index] },
    });
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

    const command = (...args: string[]) => ["backfill", ...args, ...toGateway(conf, gateway.url)];
    const { code, out, err } = await relevanceBeside(command("--index", index));
    assert.is(code, 0, err);
    assert.match(out, "291 read, 60 written, 231 unchanged, 0 rejected");
    await request(cluster, "POST", `/${index}/_refresh`);
    for (const id of ["d231", "d261"]) {
      const { body } = await request<{ _source: Record<string, object> }>(cluster, "GET", `/${index}/_doc/${id}`);
      assert.ok(Object.keys(body._source.text_dense ?? {}).length === 1024, `${id} has its vector`);
      assert.ok(Object.keys(body._source.text_sparse ?? {}).length > 0, `${id} has its weights`);
    }
    const after = await request<{ _version: number }>(cluster, "GET", `/${index}/_doc/d5`);
    assert.is(after.body._version, before.body._version);

    const again = await runHere(command("--index", index, "--json"));
    const { id, tally } = JSON.parse(again.out);
    assert.equal(tally, { read: 291, written: 0, unchanged: 291, rejected: 0 });
    const ended = await runHere(command("--resume", id));
    assert.match(ended.err, "has ended: it is done");

    // A document that fails again is rejected: nobody could tell which documents were stored without vectors.
    await request(cluster, "PUT", `/${index}/_doc/late?refresh=true`, { text: "salt harbour" });
    control.setFaults("dense_large_en_v1_5", [{ kind: "status", status: 500 }]);
    const failed = await runHere(command("--index", index, "--json"));
    control.reset();
    assert.is(failed.code, 1);
    assert.equal(JSON.parse(failed.out).tally, { read: 292, written: 0, unchanged: 291, rejected: 1 });
  });

  test(`${cluster.version}: resumes after a kill where it stopped, and keeps what others changed meanwhile`, async () => {
    const name = uniqueIndex("backfill");
    const gateway = await startGateway({ node: cluster.url, settings: { indexes: [hybridIndex(name)] } });
    toStop.unshift(gateway);
    const create = () =>
      request(cluster, "PUT", `/${name}`, {
        ...HYBRID_MAPPING,
        settings: { index: { knn: true, number_of_shards: 2, number_of_replicas: 0 } },
      });
    await create();
    const lines = corpus(600).flatMap(({ id, doc }) => [JSON.stringify({ index: routed(id) }), JSON.stringify(doc)]);
    await request(cluster, "POST", `/${name}/_bulk?refresh=true`, `${lines.join("\n")}\n`);

    const native = createCluster({ node: cluster.url, auth: noAuth });
    const calls = createRunCalls({ cluster: native, pace: createPace(1) });
    const { id } = await createBackfill(calls, { name, ...fieldsOf(name), now: new Date() });
    const early = await request<{ hits: { hits: Array<{ _id: string }> } }>(
      cluster,
      "POST",
      `/${name}/_search?preference=_shards:0`,
      { size: 2, sort: ["_seq_no"], query: { bool: { must_not: { exists: { field: "_routing" } } } } },
    );
    const [changed = "", deleted = ""] = early.body.hits.hits.map(({ _id }) => _id);
    const first = processOn(native, gateway.url, async (sent) => {
      // Others change a document that it has read, and delete one.
      if (sent === 1) {
        await request(cluster, "PUT", `/${name}/_doc/${changed}`, { text: "another text" });
        await request(cluster, "DELETE", `/${name}/_doc/${deleted}`);
      }
      // Killed within a page of the second shard.
      return first.searched.some(({ shard }) => shard === 1);
    });
    await untilStopped(first.stopped, first.work(id, name));
    const before = await readBackfill(calls, id);
    assert.is(before.record.shards[0]?.done, before.record.shards[0]?.mark, "the first shard is done");

    const second = processOn(native, gateway.url, async () => false);
    const record = await second.work(id, name);
    assert.equal(
      second.searched.filter(({ shard }) => shard === 0),
      [],
      "the first shard is not read again",
    );
    const { read, written, unchanged, rejected } = record.tally;
    assert.equal([record.phase, read, rejected], ["done", 600, 0]);
    assert.is(read, written + unchanged);
    await request(cluster, "POST", `/${name}/_refresh`);
    const found = await request<{
      hits: { hits: Array<{ _id: string; _version: number; _source: Record<string, unknown> }> };
    }>(cluster, "POST", `/${name}/_search`, { size: 700, version: true, _source: { excludes: ["text_sparse"] } });
    const documents = new Map(found.body.hits.hits.map((hit) => [hit._id, hit]));
    assert.is(documents.get(changed)?._source.text, "another text", "a later write stays");
    assert.is(documents.has(deleted), false, "a deleted document stays deleted");
    const others = [...documents.values()].filter(({ _id }) => _id !== changed);
    assert.equal(
      others
        .filter(({ _version, _source }) => _version !== 2 || _source.text_dense === undefined)
        .map(({ _id }) => _id),
      [],
      "each document was written once",
    );

    // A checkpoint belongs to its index, and to what is embedded.
    const next = await createBackfill(calls, { name, ...fieldsOf(name), now: new Date() });
    const [one] = fieldsOf(name).mappings;
    const other = { mappings: [{ ...one, src_fields: ["genre"] }], dense: new Set<string>() } as BackfillFields;
    await rejects(second.work(next.id, name, other), /embedding fields of .* have changed/);
    await request(cluster, "DELETE", `/${name}`);
    await create();
    await rejects(second.work(next.id, name), /another index than when the run began/);
    assert.match(await cancelRun(calls, next.id, false), "Cancelled");
    await rejects(second.work(next.id, name), /has ended: it is cancelled/);
  });
}

test.after(async () => {
  for (const started of toStop) await started.stop();
});

test.run();

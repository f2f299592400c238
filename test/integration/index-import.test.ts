import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gunzipSync, gzipSync } from "node:zlib";
import * as assert from "uvu/assert";
import { importSource } from "../../cli/gateway/import-files.ts";
import { seeded } from "../../lib/platform/statistics/random.ts";
import { createImport } from "../../lib/search/index/import/create.ts";
import { workOnImport } from "../../lib/search/index/import/run.ts";
import { RunFailure } from "../../lib/search/index/rebuild/failure.ts";
import type { ImportRecord } from "../../lib/search/index/rebuild/in-place-records.ts";
import { createPace } from "../../lib/search/index/rebuild/pace.ts";
import { type Rejected, readRejects } from "../../lib/search/index/rebuild/rejects.ts";
import { createRunCalls } from "../../lib/search/index/rebuild/run-calls.ts";
import { readImport, saveRecord, takeRun } from "../../lib/search/index/rebuild/run-record.ts";
import { runIndex } from "../../lib/search/index-meta/run-names.ts";
import { noAuth } from "../../lib/search/opensearch/auth.ts";
import { createCluster } from "../../lib/search/opensearch/client.ts";
import type { ClusterRequest } from "../../lib/search/opensearch/cluster.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { faultyCluster, untilStopped } from "../fixtures/faulty-cluster.ts";
import { type Cluster, clusters, request, uniqueIndex, writesTo } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";

const test = suite("index import");
const folder = scratchFolder(TEST_OUTPUT, "index-import");
const { find, open } = importSource(async () => {
  throw new Error("nothing is in S3 here");
});

/** Creates a process that works on an import, over a cluster that fails now and then. */
function processOn(cluster: Cluster, seed: number, stopsAt?: (request: ClusterRequest, calls: number) => boolean) {
  const stopped = Promise.withResolvers<void>();
  const faulty = faultyCluster(createCluster({ node: cluster.url, auth: noAuth }), {
    random: seeded(seed),
    share: 0.1,
    ...(stopsAt && { stopsAt }),
    onStop: stopped.resolve,
  });
  const pace = createPace(4);
  const calls = createRunCalls({ cluster: faulty, pace, wait: (ms) => sleep(Math.min(ms, 5)) });
  // Each reading of the clock is a second later, so every slice saves a checkpoint.
  let clock = 0;
  const now = () => (clock += 1_000);
  return {
    calls,
    pace,
    stopped: stopped.promise,
    resume: faulty.resume,
    work: (id: string, maxRejected?: number): Promise<ImportRecord> =>
      workOnImport({ calls, id, open, maxRejected, most: 4, now }),
  };
}

const COUNT = 1_000;
const textOf = (id: number) => `document ${id} ${"x".repeat(id % 90)}`;
/** Every hundredth document does not fit the mapping. */
const numberOf = (id: number) => (id % 100 === 50 ? "none" : id);

/** Two files of documents, of which one is packed. */
const FILES = (() => {
  const lines = Array.from({ length: COUNT }, (_, id) =>
    JSON.stringify({ isbn: `d${id}`, text: textOf(id), number: numberOf(id) }),
  );
  const [plain, packed] = [join(folder, "a.ndjson"), join(folder, "b.ndjson.gz")];
  writeFileSync(plain, `${lines.slice(0, COUNT / 2).join("\n")}\n`);
  writeFileSync(packed, gzipSync(`${lines.slice(COUNT / 2).join("\n")}\n`));
  return [plain, packed] as const;
})();
const MAPPING = {
  settings: { number_of_replicas: 0, number_of_shards: 2 },
  mappings: { properties: { isbn: { type: "keyword" }, text: { type: "text" }, number: { type: "integer" } } },
};

/** Creates an import of the files of documents, and returns its id and the files. */
async function documentImport(calls: ReturnType<typeof createRunCalls>, name: string, sliceBytes?: number) {
  const files = await find([...FILES]);
  const how = { from: "files", format: "documents", idField: "isbn", embed: false, now: new Date() } as const;
  const { id } = await createImport(calls, { name, files, ...how, ...(sliceBytes && { sliceBytes }) });
  return { id, files };
}

for (const cluster of await clusters()) {
  test(`${cluster.version}: an import writes each document once, despite kills, 429s and lost answers`, async () => {
    const index = uniqueIndex("imported");
    await request(cluster, "PUT", `/${index}`, MAPPING);
    const first = processOn(cluster, 1, ({ path }, calls) => calls > 30 && path === `/${index}/_bulk`);
    const { id } = await documentImport(first.calls, index, 2_000);
    // Kills the first process while it writes.
    await untilStopped(first.stopped, first.work(id));
    // Somebody changes a document that is already written; the run must not undo that.
    const changed = await request(cluster, "POST", `/${index}/_update/d0`, { doc: { text: "changed" } });
    assert.is(changed.status, 200, JSON.stringify(changed.body));
    // Kills the second process between its writes and its checkpoint.
    let saves = 0;
    const second = processOn(cluster, 2, ({ path, method }) => {
      if (method === "PUT" && path === `/${runIndex(id)}/_doc/run`) saves += 1;
      return saves > 10;
    });
    await untilStopped(second.stopped, second.work(id));
    const third = processOn(cluster, 3);
    const record = await third.work(id);

    const rejected = COUNT / 100;
    assert.is(record.phase, "done");
    const { read, written, unchanged } = record.tally;
    assert.equal(record.tally.rejected, rejected);
    assert.is(read, COUNT);
    assert.is(read, written + unchanged + rejected);
    const [plain, packed] = FILES;
    const content = readFileSync(plain).length + gunzipSync(readFileSync(packed)).length;
    assert.is(record.bytes, content, "the content whose documents are counted");
    // A rejected document takes no sequence number, but the change by somebody else took one.
    assert.is(await writesTo(cluster, index), COUNT - rejected + 1, "nothing is written twice");
    const { body } = await request<{ hits: { hits: Array<{ _id: string; _source: object }> } }>(
      cluster,
      "POST",
      `/${index}/_search`,
      { size: 10_000 },
    );
    const found = new Map(body.hits.hits.map(({ _id, _source }) => [_id, _source]));
    for (let one = 0; one < COUNT; one += 1) {
      const expected = { isbn: `d${one}`, text: one === 0 ? "changed" : textOf(one), number: numberOf(one) };
      assert.equal(found.get(`d${one}`), one % 100 === 50 ? undefined : expected, `d${one}`);
    }
    const rejects = await readRejects<Rejected>(third.calls, runIndex(id));
    assert.is(rejects.length, rejected);
    assert.ok(rejects.every(({ reason, file }) => reason.includes("number") && file?.startsWith(folder)));
  });
  test(`${cluster.version}: an import stops at too many rejected documents, and can be resumed`, async () => {
    const index = uniqueIndex("imported");
    await request(cluster, "PUT", `/${index}`, MAPPING);
    const one = processOn(cluster, 4);
    const { id } = await documentImport(one.calls, index, 2_000);
    const stopped = await one.work(id, 2).catch((error: Error) => error);
    assert.ok(stopped instanceof RunFailure);
    const [, told] = /^(\d+) documents were rejected, and --max-rejected is 2:/.exec(stopped.message) ?? [];
    assert.ok(Number(told) > 2 && Number(told) <= 2 + 4, stopped.message);
    const { record } = await readImport(one.calls, id);
    assert.is(record.tally.rejected, Number(told), "the message has the number of the record");
    assert.is((await readRejects(one.calls, runIndex(id))).length, Number(told), "and of the list");
    for (const [most, why] of [
      [2, "not with the same number"],
      [undefined, "not without a number"],
    ] as const) {
      assert.ok((await one.work(id, most).catch((error: Error) => error)) instanceof RunFailure, why);
    }
    assert.is((await readImport(one.calls, id)).record.message, stopped.message, "and the reason stays");
    assert.is((await one.work(id, 100)).tally.read, COUNT);
  });

  test(`${cluster.version}: an import of documents that all are wrong stops near its number, and counts each once`, async () => {
    const index = uniqueIndex("imported");
    await request(cluster, "PUT", `/${index}`, MAPPING);
    const file = join(folder, `${index}.ndjson`);
    const lines = Array.from({ length: 2_000 }, (_, id) => JSON.stringify({ isbn: `w${id}`, number: "none" }));
    writeFileSync(file, lines.join("\n"));
    const { calls, work } = processOn(cluster, 8);
    const how = { from: file, format: "documents", idField: "isbn", embed: false, now: new Date() } as const;
    // Each of the slices in progress has five hundred documents.
    const { id } = await createImport(calls, { name: index, files: await find([file]), ...how, sliceBytes: 16_500 });
    for (const most of [10, 400]) {
      const stopped = await work(id, most).catch((error: Error) => error);
      assert.ok(stopped instanceof RunFailure);
      const { tally } = (await readImport(calls, id)).record;
      // Four slices at a time.
      assert.ok(tally.rejected > most && tally.rejected <= most + 4 * Math.max(64, most / 4), `${tally.rejected}`);
      assert.is(tally.read, tally.rejected);
      assert.match(stopped.message, `${tally.rejected} documents were rejected`);
      assert.is((await readRejects(calls, runIndex(id))).length, tally.rejected);
    }
    const { tally } = await work(id, 10_000);
    assert.equal(tally, { read: 2_000, written: 0, unchanged: 0, rejected: 2_000 });
    assert.is((await readRejects(calls, runIndex(id))).length, 2_000);
  });

  test(`${cluster.version}: rows of a CSV file get the types of the index behind an alias`, async () => {
    const index = uniqueIndex("imported");
    await request(cluster, "PUT", `/${index}-1`, { ...MAPPING, aliases: { [index]: {} } });
    const file = join(folder, `${index}.csv`);
    writeFileSync(file, "isbn,text,number\n7,2,3\n");
    const { calls, work } = processOn(cluster, 9);
    const files = await find([file]);
    const how = { from: file, format: "csv", idField: "isbn", embed: false, now: new Date() } as const;
    await work((await createImport(calls, { name: index, files, ...how })).id);
    const stored = await request(cluster, "GET", `/${index}/_doc/7`);
    assert.equal((stored.body as { _source: object })._source, { isbn: "7", text: "2", number: 3 });
  });

  test(`${cluster.version}: a slice that was written before an earlier one is counted once`, async () => {
    const index = uniqueIndex("imported");
    await request(cluster, "PUT", `/${index}`, MAPPING);
    const { calls } = processOn(cluster, 7);
    const { id, files } = await documentImport(calls, index);
    const held = await readImport(calls, id);
    held.record.ahead = [{ slice: 1, file: 1, end: 1_000_000 }];
    held.record.tally.read = COUNT / 2;
    await saveRecord(calls, held, new Date());
    // The second file is opened when the first one's slice has been counted.
    const first = Promise.withResolvers<void>();
    const { tally } = await workOnImport({
      calls,
      id,
      open: async function* (file, from) {
        if (file.name === files[1]?.name) await first.promise;
        yield* open(file, from);
      },
      maxRejected: 100,
      onProgress: () => first.resolve(),
      now: () => Date.now() * 1_000,
    });
    assert.is(tally.read, COUNT);
  });

  test(`${cluster.version}: a late call of a killed process does not stop the next one`, async () => {
    const index = uniqueIndex("imported");
    await request(cluster, "PUT", `/${index}`, MAPPING);
    const { calls } = processOn(cluster, 6);
    const { id } = await documentImport(calls, index);
    let reads = 0;
    const readBeforeIt = async () => {
      const read = await readImport(calls, id);
      reads += 1;
      if (reads === 1) await saveRecord(calls, await readImport(calls, id), new Date(0));
      return read;
    };
    const { record } = await takeRun(calls, readBeforeIt, () => {});
    assert.is(reads, 2);
    assert.is(record.epoch, (await readImport(calls, id)).record.epoch);
  });

  test(`${cluster.version}: an import does not create an index that was deleted meanwhile`, async () => {
    const index = uniqueIndex("imported");
    await request(cluster, "PUT", `/${index}`, MAPPING);
    const one = processOn(cluster, 5, ({ path }, calls) => calls > 30 && path === `/${index}/_bulk`);
    const { id } = await documentImport(one.calls, index, 2_000);
    const { end } = await untilStopped(one.stopped, one.work(id));
    await request(cluster, "DELETE", `/${index}`);
    one.resume();
    assert.match(String(await end.catch((error: Error) => error)), `There is no index or alias ${index} any more`);
    assert.is((await request(cluster, "HEAD", `/${index}`)).status, 404);
  });
}

test.run();

import { rmSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { type OpenSearchServer, type StartOptions, startOpenSearch } from "../../packages/local/opensearch/start.ts";
import { LocalError } from "../../packages/processes/error.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { patient, waitFor } from "../../packages/processes/wait.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { clusters, installFolder, request } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";

const test = suite("processes of the local OpenSearch");

const [cluster] = await clusters();
const scratch = scratchFolder(TEST_OUTPUT, "local-opensearch");
const servers: OpenSearchServer[] = [];
test.after(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  rmSync(scratch, { recursive: true, force: true });
});

/** Starts a server of the first version that the run has, only for this file, on the node folder of that name. */
async function start(name: string, options: Partial<StartOptions> = {}): Promise<OpenSearchServer> {
  const version = cluster?.version ?? "2.19.6";
  const usual = { version, dir: installFolder(version), nodeDir: join(scratch, name), quickStart: true };
  const server = await startOpenSearch({ ...usual, ...options });
  servers.push(server);
  return server;
}

async function refusal(attempt: Promise<unknown>): Promise<string> {
  const error = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.instance(error, LocalError);
  return (error as Error).message;
}

test("keeps data over a restart at the requested port, and refuses a second server meanwhile", async () => {
  const first = await start("kept");
  const { port } = new URL(first.url);
  await request(first, "PUT", "/kept/_doc/1?refresh=true", { title: "kept" });

  const second = await refusal(start("kept"));
  assert.match(second, `already runs on ${join(scratch, "kept")} (${first.url}, pid ${first.pid})`);
  assert.match(second, `OPENSEARCH_URL=${first.url}`);
  const taken = await refusal(start("other", { port: Number(port) }));
  assert.match(taken, `port ${port} for OpenSearch ${first.version} is taken by another program`);
  assert.is((await request(first, "GET", "/")).status, 200);

  await first.stop();
  const again = await start("kept", { port: Number(port) });
  assert.is(again.url, first.url);
  const found = await request<{ _source: unknown }>(again, "GET", "/kept/_doc/1");
  assert.equal(found.body._source, { title: "kept" });
  await again.stop();

  const clean = await start("kept", { clean: true });
  assert.is((await request(clean, "GET", "/kept/_doc/1")).status, 404);
  await clean.stop();
});

test("says why a vector that cannot be stored killed the server, and how to delete the data that would kill it again", async () => {
  const server = await start("killed");
  const vector = { type: "knn_vector", dimension: 2, method: { name: "hnsw", engine: "faiss", space_type: "l2" } };
  await request(server, "PUT", "/dead", {
    settings: { index: { knn: true } },
    mappings: { properties: { v: vector } },
  });
  // The answer may or may not arrive before the server dies.
  await request(server, "PUT", "/dead/_doc/1", { v: [1, 2] });
  await request(server, "POST", "/dead/_refresh").catch(() => {});

  const died = await waitFor(() => server.died, { what: "the server's end", timeoutMs: 60_000 });

  for (const message of [died.message, await refusal(start("killed"))]) {
    assert.match(message, "without the lucene engine");
    assert.match(message, `rm -rf '${join(scratch, "killed", "data")}'`);
    assert.match(message, "The end of its log");
  }
  const clean = await start("killed", { clean: true });
  await clean.stop();
});

test("reports a start that takes too long, with the last error and the log", async () => {
  const message = await refusal(start("slow", { timeoutMs: 300 }));
  assert.match(message, "gave up waiting for OpenSearch");
  assert.match(message, `after ${patient(300) / 1_000} s; last error: fetch failed`);
});

test("refuses a folder with a space in its path", async () => {
  assert.match(await refusal(start("a space")), "with a space in its path");
});

test.run();

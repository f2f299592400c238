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

test("refuses a second server, and says why a vector killed the first and how to delete the data that would again", async () => {
  const server = await start("killed");
  const second = await refusal(start("killed"));
  assert.match(second, `already runs on ${join(scratch, "killed")} (${server.url}, pid ${server.pid})`);
  assert.match(second, `OPENSEARCH_URL=${server.url}`);
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
  // At the same port.
  const clean = await start("killed", { clean: true, port: Number(new URL(server.url).port) });
  assert.is(clean.url, server.url);
  const taken = await refusal(start("other", { port: Number(new URL(clean.url).port) }));
  assert.match(taken, `for OpenSearch ${clean.version} is taken by another program`);
  assert.is((await request(clean, "GET", "/dead")).status, 404);
  await clean.stop();
});

test("reports a start that takes too long, with the last error and the log", async () => {
  const message = await refusal(start("slow", { timeoutMs: 300 }));
  assert.match(message, "gave up waiting for OpenSearch");
  assert.match(message, `after ${patient(300) / 1_000} s; last error: fetch failed`);
  assert.match(await refusal(start("a space")), "with a space in its path");
});

test.run();

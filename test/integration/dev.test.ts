import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import type { DevState } from "../../local/dev/state-file.ts";
import { scratchFolder } from "../../local/process/scratch.ts";
import { waitFor } from "../../local/process/wait.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { type DevProcess, processesOf, startDev } from "../local/dev/dev-process.ts";
import { suite } from "../suite.ts";

/** `make dev` as a newcomer meets it: with an OpenSearch of its own, twice on one folder, and interrupted. */
const test = suite("make dev");

const dir = scratchFolder(TEST_OUTPUT, "dev");
let dev: DevProcess;
let state: DevState;

test.before(async () => {
  dev = startDev(dir);
  state = await dev.ready();
});

/** The curl commands of the banner, character by character. */
const commands = () => dev.output().match(/^curl -s (?:.|\n)*?'$(?=\n\n)/gm) ?? [];
const run = (command: string | undefined) =>
  JSON.parse(execFileSync("sh", ["-c", command ?? "exit 1"], { encoding: "utf8" }));

const refused = async (url: string) => {
  const error = await fetch(url).catch((thrown) => thrown);
  return error.cause?.code === "ECONNREFUSED";
};

test("tells scripts where everything is", () => {
  const { search, recommendation, opensearch, aws, pid } = state;
  assert.equal(Object.keys(state), ["search", "recommendation", "console", "opensearch", "aws", "pid"]);
  assert.match(search.api_key, /^[0-9a-f]{40}$/);
  assert.match(opensearch.version, /^\d+\.\d+\.\d+$/);
  for (const url of [search.url, recommendation?.url ?? "", opensearch.url, aws.endpoint])
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.is(pid, dev.pid);
});

test("prints three curl commands", () => {
  assert.is(commands().length, 3, dev.output());
});

test("prints a bulk command that stores a document with its embeddings", async () => {
  const { bulk_request, index_response } = run(commands()[0]);
  assert.equal([index_response.errors, index_response.items[0].index.status], [false, 201]);
  assert.not.match(JSON.stringify(bulk_request), /description_dense/);
  const answer = await fetch(`${state.opensearch.url}/books/_doc/my-book`);
  const { _source } = (await answer.json()) as { _source: { description_dense: number[]; description_sparse: object } };
  assert.is(_source.description_dense.length, 1024);
  assert.ok(Object.keys(_source.description_sparse).length > 5);
});

test("prints a search command that finds books", () => {
  const { search_response } = run(commands()[1]);
  assert.is(search_response.hits.hits.length, 3);
  assert.ok(search_response.hits.total.value > 20);
});

test("prints a hybrid search command in which every leg takes part", () => {
  const { search_response, degraded, search_request_template } = run(commands()[2]);
  assert.is(search_response.hits.hits.length, 3);
  assert.is(degraded, undefined);
  assert.ok(search_request_template.search_pipeline);
});

test("is honest about the models", () => {
  assert.match(dev.output(), /Stand-ins, not the real models: dense_large_en_v1_5, sparse_v3/);
});

test("keeps the server alive: refuses a vector field that would end it", async () => {
  const answer = await fetch(`${state.search.url}/raw-backend/native`, {
    method: "PUT",
    headers: { "x-api-key": state.search.api_key, "content-type": "application/json" },
    body: JSON.stringify({ mappings: { properties: { v: { type: "knn_vector", dimension: 2 } } } }),
  });
  assert.is(answer.status, 400);
  assert.match(await answer.text(), /without the lucene engine/);
});

test("refuses to start a second time in the same folder, and leaves the first alone", async () => {
  const second = startDev(dir);
  assert.is(await second.exited, 1);
  assert.match(second.output(), new RegExp(`another \`make dev\` is running here \\(pid ${dev.pid}\\)`));
  assert.ok(existsSync(join(dir, "dev.json")));
});

test("stops all on Ctrl-C and removes its state", async () => {
  dev.interrupt();
  assert.is(await dev.exited, 0);
  assert.not(existsSync(join(dir, "dev.json")));
  assert.equal(processesOf(dir), []);
  assert.ok(await refused(state.search.url));
  assert.ok(await refused(state.opensearch.url));
  assert.ok(await refused(state.aws.endpoint));
});

test("keeps the demo index, the key and what was added for the next start", async () => {
  const key = state.search.api_key;
  dev = startDev(dir);
  state = await dev.ready();
  assert.not.match(dev.output(), /demo index: /);
  assert.is(state.search.api_key, key);
  const found = await fetch(`${state.opensearch.url}/books/_doc/my-book`);
  assert.is(found.status, 200);
  dev.interrupt();
  assert.is(await dev.exited, 0);
});

test("stops all on Ctrl-C in the middle of starting", async () => {
  dev = startDev(dir);
  const started = () => processesOf(dir).some((line) => line.includes("java"));
  await waitFor(async () => started(), { what: "OpenSearch's process", timeoutMs: 60_000 });
  dev.interrupt();
  assert.is(await dev.exited, 0);
  assert.not(existsSync(join(dir, "dev.json")));
  // The supervisors end the servers that were still on their way.
  await waitFor(async () => processesOf(dir).length === 0, { what: "the servers to end", timeoutMs: 30_000 });
});

test.run();

import { appendFileSync, cpSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import * as assert from "uvu/assert";
import type { DevState } from "../../packages/local/dev/state-file.ts";
import { type DevProcess, startDev } from "../../packages/local/test/dev/dev-process.ts";
import { freePort, freePorts } from "../../packages/processes/ports.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { startAuthProxy } from "../fixtures/auth-proxy.ts";
import { ROOT, TEST_OUTPUT } from "../fixtures/env.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { removeShopKey } from "../fixtures/shop-key.ts";
import { suite } from "../suite.ts";

/** `make dev` with servers that a user provides: a cluster, ports, a model server, a taken port. */
const test = suite("make dev with given servers");

const DIMENSION = 7;
const index = uniqueIndex("books-given");
const dir = scratchFolder(TEST_OUTPUT, "dev-given");
/** conf.local, with a model that has the dimension of the server below. */
const conf = join(scratchFolder(TEST_OUTPUT, "dev-given-conf"), "conf");
cpSync(join(ROOT, "conf.local"), conf, { recursive: true });
const MODEL_YAML = join(conf, "model.yaml");
const yaml = readFileSync(MODEL_YAML, "utf8");
const [cluster] = await clusters();
assert.ok(cluster);

/** A Text Embeddings Inference server: vectors of seven dimensions, as a small real model would give. */
const embedded: string[] = [];
const model = createServer(async (incoming, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  const { inputs = [] } = JSON.parse(Buffer.concat(chunks).toString() || "{}");
  const texts: string[] = [inputs].flat();
  embedded.push(...texts);
  response.setHeader("content-type", "application/json");
  response.end(
    JSON.stringify(texts.map((text) => Array.from({ length: DIMENSION }, (_, n) => 1 / (n + text.length + 1)))),
  );
});
await new Promise<void>((resolve) => model.listen(0, "127.0.0.1", resolve));
const modelUrl = `http://127.0.0.1:${(model.address() as AddressInfo).port}`;

/** A proxy before the cluster that requires a user and a password, as a cluster with access control does. */
const AUTHORIZATION = `Basic ${Buffer.from("reader:p@ss").toString("base64")}`;
const proxy = await startAuthProxy(cluster.url, ({ headers }) => headers.authorization === AUTHORIZATION);
const proxyAddress = new URL(proxy.url).host;

writeFileSync(
  MODEL_YAML,
  yaml.replace(/dimension: \d+/, `dimension: ${DIMENSION}`).replace('query_prefix: ""', 'query_prefix: "find: "'),
);

removeShopKey(conf);
appendFileSync(join(conf, "api.yaml"), "\nkeys:\n  - { name: browser, endpoints: [search] }\n");

let dev: DevProcess;
let state: DevState;
let port = 0;

test.before(async () => {
  [port = 0] = await freePorts(5);
  const OPENSEARCH_URL = `http://reader:p%40ss@${proxyAddress}`;
  const env = { OPENSEARCH_URL, PORT: String(port), EMBEDDING_URL_DENSE_LARGE_EN_V1_5: modelUrl };
  dev = startDev(dir, ["--no-demo", "--conf", conf], env);
  state = await dev.ready();
});

test.after(async () => {
  dev?.interrupt();
  await dev?.exited;
  model.close();
  await proxy.stop();
  await request(cluster, "DELETE", `/${index}`);
});

interface Refused {
  error: { code: string; cause?: { rule: string } };
}

async function call<Body>(method: string, path: string, body?: unknown, key = state.search.api_key) {
  const answer = await fetch(`${state.search.url}${path}`, {
    method,
    headers: { "x-api-key": key, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Body };
}

test("uses the given ports and the cluster with user and password, and does not print the password", () => {
  assert.equal(state.opensearch, { url: `http://${proxyAddress}`, version: cluster.version });
  assert.not.match(dev.output(), /p@ss|p%40ss/);
  assert.is(state.search.url, `http://127.0.0.1:${port}`);
  assert.is(state.aws.endpoint, `http://127.0.0.1:${port + 2}`);
  assert.is(state.recommendation?.url, `http://127.0.0.1:${port + 3}`);
});

test("starts empty with --no-demo, and shows how to create the index", () => {
  assert.not.match(dev.output(), /demo index:/);
  assert.match(dev.output(), /curl -s -X PUT http:\/\/127\.0\.0\.1:\d+\/raw-backend\/books/);
  assert.match(dev.output(), new RegExp(`"dimension":${DIMENSION}`));
});

test("applies the keys of api.yaml in addition to its own key, which may do everything", async () => {
  const { browser = "", ...others } = state.keys ?? {};
  assert.equal(others, {});
  assert.match(dev.output(), `  API key      ${state.search.api_key}\n               ${browser} browser\n`);
  const refused = await call<Refused>("GET", "/raw-backend/", undefined, browser);
  assert.equal([refused.status, refused.body.error.cause], [403, { rule: "endpoint" }]);
  const searching = { index: "absent", search_request: {} };
  const searched = await call<Refused>("POST", "/application/search", searching, browser);
  assert.is(searched.status, 404);
  assert.is((await call("GET", "/raw-backend/")).status, 200);
  const recommended = await fetch(`${state.recommendation?.url}/recommend-items-to-user`, {
    method: "POST",
    headers: { "x-api-key": browser, "content-type": "application/json" },
    body: "{}",
  });
  assert.is(recommended.status, 403);
});

test("suggests first steps for a configuration other than the demo's, and says when it changes", async () => {
  assert.not.match(dev.output(), /make demo-train/);
  assert.match(dev.output(), /train --local --conf \S+dev-given-conf\S*\/conf --training-mode init/);
  appendFileSync(join(conf, "filter.yaml"), "# a comment\n");
  await waitFor(async () => /conf\/filter\.yaml changed: the gateway uses it now/.test(dev.output()), {
    what: "the line about filter.yaml",
    timeoutMs: 30_000,
  });
});

test("embeds with the given server, and with dimension and prefix of model.yaml", async () => {
  const properties = {
    description: { type: "text" },
    description_dense: {
      type: "knn_vector",
      dimension: DIMENSION,
      method: { engine: "lucene", name: "hnsw", space_type: "cosinesimil" },
    },
    description_sparse: { type: "rank_features" },
  };
  const created = await call("PUT", `/raw-backend/${index}`, {
    settings: { index: { knn: true } },
    mappings: { properties },
  });
  assert.is(created.status, 200);

  const doc = { description: "a text that no other test has" };
  const stored = await call<{ index_response: { errors: boolean } }>("POST", "/application/bulk", {
    index,
    bulk_request: [{ id: "1", op: "index", doc }],
  });
  assert.is(stored.body.index_response?.errors, false, JSON.stringify(stored.body));
  assert.ok(embedded.includes(doc.description));
  await call("POST", `/raw-backend/${index}/_refresh`);

  const query = { hybrid: { queries: [{ knn: { description_dense: { vector: "[description_dense]", k: 5 } } }] } };
  const found = await call<{ search_response: { hits: { hits: unknown[] } } }>("POST", "/application/hybrid-search", {
    index,
    search_query: "any text",
    search_request_template: { query },
  });
  assert.is(found.body.search_response?.hits.hits.length, 1, JSON.stringify(found.body));
  assert.ok(embedded.includes("find: any text"), embedded.join("; "));
});

test("fails a model on request, so that a client can be tested with degraded answers", async () => {
  const control = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(`${state.aws.endpoint}${path}`, { method, body: JSON.stringify(body) ?? null });
    return { status: answer.status, body: (await answer.json()) as Record<string, { calls: number }> };
  };
  const faults = await control("PUT", "/_models/dense_large_en_v1_5/faults", [{ kind: "status", status: 400 }]);
  assert.is(faults.status, 200);

  const query = {
    hybrid: {
      queries: [
        { match: { description: "text" } },
        { knn: { description_dense: { vector: "[description_dense]", k: 5 } } },
      ],
    },
  };
  const search = (search_query: string) =>
    call<{ degraded?: { stage: string; target: string }[] }>("POST", "/application/hybrid-search", {
      index,
      search_query,
      search_request_template: { query },
    });
  const [degraded] = (await search("a failing text")).body.degraded ?? [];
  assert.equal([degraded?.stage, degraded?.target], ["embedding", "description_dense"]);

  const counts = await control("GET", "/_models");
  assert.ok((counts.body.dense_large_en_v1_5?.calls ?? 0) > 0);
  await control("DELETE", "/_models");
  assert.is((await search("a text after it")).body.degraded, undefined);
});

test("keeps request log lines out of the terminal", () => {
  assert.not.match(dev.output(), /relevance\.search/);
});

test("says which port is taken", async () => {
  const second = startDev(scratchFolder(TEST_OUTPUT, "dev-taken"), ["--no-demo"], {
    OPENSEARCH_URL: cluster.url,
    PORT: String(port),
  });
  assert.is(await second.exited, 1);
  assert.match(second.output(), new RegExp(`port ${port} for the API is taken by another program`));
});

test("says that no cluster answers at the given address, before it installs anything", async () => {
  const nowhere = `http://127.0.0.1:${await freePort()}`;
  const folder = scratchFolder(TEST_OUTPUT, "dev-nowhere");
  const second = startDev(folder, [], { OPENSEARCH_URL: nowhere, RELEVANCE_INSTALL_DIR: join(folder, "servers") });
  assert.is(await second.exited, 1);
  assert.match(
    second.output(),
    new RegExp(`^no OpenSearch answers at ${nowhere}: start it, or leave OPENSEARCH_URL out`, "m"),
  );
  assert.not.match(second.output(), /installing/);
});

test("ends with code 2 on a misspelt option, before anything is started", async () => {
  const second = startDev(scratchFolder(TEST_OUTPUT, "dev-misspelt"), ["--nodemo"]);
  assert.is(await second.exited, 2);
  assert.match(second.output(), /Unknown option '--nodemo'/);
});

test.run();

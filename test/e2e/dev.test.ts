import { existsSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { processesOf, startDev } from "../../packages/local/test/dev/dev-process.ts";
import { REGION } from "../../packages/local-aws/cloud/account.ts";
import { decisionsOf } from "../../packages/local-aws/cloud/permissions.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { suite } from "../suite.ts";
import { firstEvents } from "./first-events.ts";
import { commandsOf, curl, ids, Newcomer, NO_FILTER } from "./newcomer.ts";
import { shopAfterTraining, shopBeforeTraining } from "./shop-tests.ts";

/**
 * `make dev` and `make demo-train` as a newcomer uses them: on an OpenSearch that they start, from CSV files to
 * recommendations, twice on one folder, and interrupted.
 */
const test = suite("make dev");

const CAMPAIGN_SEEN_MS = 120_000;
const we = new Newcomer("dev");
test.before(() => we.start());

const refused = async (url: string) => {
  const error = await fetch(url).catch((thrown) => thrown);
  return error.cause?.code === "ECONNREFUSED";
};

test("tells scripts where everything is", () => {
  const { search, recommendation, opensearch, aws, pid } = we.state;
  assert.equal(Object.keys(we.state), [
    ...["search", "recommendation", "keys", "console", "shop", "opensearch", "aws", "pid", "configuration"],
  ]);
  assert.match(search.api_key, /^[0-9a-f]{40}$/);
  assert.match(opensearch.version, /^\d+\.\d+\.\d+$/);
  for (const url of [search.url, recommendation?.url ?? "", opensearch.url, aws.endpoint])
    assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.is(pid, we.dev.pid);
});

test("prints three curl commands", () => {
  assert.is(commandsOf(we.dev.output()).length, 3, we.dev.output());
});

test("prints a bulk command that stores a document with its embeddings", async () => {
  const { bulk_request, index_response } = curl(commandsOf(we.dev.output())[0]);
  assert.equal([index_response.errors, index_response.items[0].index.status], [false, 201]);
  assert.not.match(JSON.stringify(bulk_request), /description_dense/);
  const answer = await fetch(`${we.state.opensearch.url}/books/_doc/my-book`);
  const { _source } = (await answer.json()) as { _source: { description_dense: number[]; description_sparse: object } };
  assert.is(_source.description_dense.length, 384);
  assert.ok(Object.keys(_source.description_sparse).length > 5);
});

test("prints a search command that finds books", () => {
  const { search_response } = curl(commandsOf(we.dev.output())[1]);
  assert.is(search_response.hits.hits.length, 3);
  assert.ok(search_response.hits.total.value > 20);
});

test("prints a hybrid search command in which every subquery takes part", () => {
  const { search_response, degraded, search_request_template } = curl(commandsOf(we.dev.output())[2]);
  assert.is(search_response.hits.hits.length, 3);
  assert.is(degraded, undefined);
  assert.ok(search_request_template.search_pipeline);
});

test("says that the models are stand-ins", () => {
  assert.match(we.dev.output(), /Stand-ins, not the real models: dense_large_en_v1_5, sparse_v3/);
});

test("rejects a vector field that would crash the server", async () => {
  const answer = await fetch(`${we.state.search.url}/raw-backend/native`, {
    method: "PUT",
    headers: { "x-api-key": we.state.search.api_key, "content-type": "application/json" },
    body: JSON.stringify({ mappings: { properties: { v: { type: "knn_vector", dimension: 2 } } } }),
  });
  assert.is(answer.status, 400);
  assert.match(await answer.text(), /without the lucene engine/);
});

test("refuses to start a second time in the same folder, and leaves the first alone", async () => {
  const second = startDev(we.dir);
  assert.is(await second.exited, 1);
  assert.match(second.output(), new RegExp(`another \`make dev\` is running here \\(pid ${we.dev.pid}\\)`));
  assert.ok(existsSync(join(we.dir, "dev.json")));
});

test("before any training, says how to get there and answers not_trained", async () => {
  assert.match(we.dev.output(), "Recommendations need data and a training.");
  assert.match(we.dev.output(), "  make demo-train");
  const { status, body } = await we.post("/recommend-items-to-user", { user_id: "U0001", limit: 3, ...NO_FILTER });
  assert.equal([status, body.error?.code], [503, "not_trained"]);
});

shopBeforeTraining(test, we);

let report = "";

test("make demo-train goes from CSV files to recommendations, and shows its commands", async () => {
  report = await we.demoTrain();
  assert.match(report, /600 users, 3,000 items, 60,\d{3} interactions/);
  assert.match(report, /\$ relevance upload-sample --users \S+ --items \S+ --interactions \S+ --api-host http/);
  assert.match(report, "$ relevance train --local");
  assert.match(report, /interactions +60,\d{3} accepted, none rejected/);
  assert.match(report, /Reader U0001 has viewed most of \w+/);
});

test("prints four commands that work", () => {
  const commands = commandsOf(report);
  assert.is(commands.length, 4, report);
  for (const answer of commands.map(curl)) {
    assert.is(answer.degraded, undefined);
    const count = answer.response?.items.length ?? answer.search_response.hits.hits.length;
    assert.ok(count >= 3, JSON.stringify(answer));
  }
});

shopAfterTraining(test, we);
firstEvents(test, we);

test("recommends different readers different books, with their records", async () => {
  const [a, b] = [await we.forUser("U0001"), await we.forUser("U0002")];
  assert.is(a.response.items.length, 10);
  assert.ok(a.response.items.every(({ TITLE, CATEGORIES }) => TITLE !== "" && CATEGORIES !== ""));
  assert.is.not(ids(a).join(), ids(b).join());
});

test("runs both APIs and every function with their roles, and no call was denied", async () => {
  const decisions = await decisionsOf({ endpoint: we.state.aws.endpoint });
  assert.equal(
    decisions.filter(({ allowed }) => !allowed),
    [],
  );
  const roles = new Set(decisions.map(({ principal }) => principal.split("/").at(-1)));
  for (const name of ["api-router", "recommendation-api", "etl", "training", "realtime-sync", "state-machines"])
    assert.ok(roles.has(`demo-${name}-${REGION}`), `${name} is not among ${[...roles].join(", ")}`);
});

test("relevance status --local shows filters and campaigns", async () => {
  const output = await we.relevance("status");
  assert.match(output, /demo-category-\d{10}/);
  for (const campaign of ["user-personalization", "similar-items", "personalized-ranking"]) {
    assert.match(output, `demo-${campaign}`);
  }
});

test("a second make demo-train uploads and trains nothing, and prints what to try", async () => {
  const output = await we.demoTrain();
  assert.match(output, "uploaded already\n");
  assert.match(output, "trained already");
  assert.not.match(output, "$ relevance");
  assert.is(commandsOf(output).length, 4);
});

test("stops all on Ctrl-C, and keeps index, key, data, models and filters for the next start", async () => {
  const before = await we.forUser("U0001");
  const key = we.state.search.api_key;
  await we.stop();
  assert.not(existsSync(join(we.dir, "dev.json")));
  assert.equal(processesOf(we.dir), []);
  const { search, opensearch, aws } = we.state;
  for (const url of [search.url, opensearch.url, aws.endpoint]) assert.ok(await refused(url), url);
  await we.start();
  assert.not.match(we.dev.output(), /demo index: /);
  assert.is(we.state.search.api_key, key);
  assert.is((await fetch(`${we.state.opensearch.url}/books/_doc/my-book`)).status, 200);
  assert.equal(ids(await we.forUser("U0001")), ids(before));
  const commands = commandsOf(we.dev.output());
  assert.is(commands.length, 7, we.dev.output());
  for (const answer of commands.slice(3).map(curl)) assert.is(answer.degraded, undefined);
});

test("make demo-train --again trains again on the kept data, new events included, in the mode for a trained project", async () => {
  const output = await we.demoTrain("--again");
  assert.match(output, "uploaded already\n");
  assert.match(output, /\$ relevance train --local .*--training-mode update_dataset_group --wait/);
  assert.is(commandsOf(output).length, 4, output);
  await waitFor(
    async () => {
      const { body } = await we.post("/recommend-items-to-item", { item_id: "B0001", limit: 5, ...NO_FILTER });
      return body.degraded === undefined && body.response.items.length === 5;
    },
    { what: "the campaign to answer", timeoutMs: CAMPAIGN_SEEN_MS },
  );
});

test("stops without leaving a process behind", async () => {
  await we.stop();
  assert.equal(processesOf(we.dir), []);
});

test("stops all on Ctrl-C in the middle of starting", async () => {
  we.begin();
  const started = () => processesOf(we.dir).some((line) => line.includes("java"));
  await waitFor(async () => started(), { what: "OpenSearch's process", timeoutMs: 60_000 });
  await we.stop();
  assert.not(existsSync(join(we.dir, "dev.json")));
  // The supervisors end the servers that were still starting.
  await waitFor(async () => processesOf(we.dir).length === 0, { what: "the servers to end", timeoutMs: 30_000 });
});

test.run();

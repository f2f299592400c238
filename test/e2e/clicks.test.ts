import { appendFileSync, cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { GetObjectCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import * as assert from "uvu/assert";
import type { ExperimentReport } from "../../packages/lab/experiments/report.ts";
import type { RecommendationReport } from "../../packages/lab/recommendations/places.ts";
import type { DevState } from "../../packages/local/dev/state-file.ts";
import { type DevProcess, startDev } from "../../packages/local/test/dev/dev-process.ts";
import { freePorts } from "../../packages/processes/ports.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { localFolder } from "../cli/local-world.ts";
import { checkNeededHere } from "../fixtures/check-permissions.ts";
import { clientOptions } from "../fixtures/cloud.ts";
import { ROOT, TEST_OUTPUT } from "../fixtures/env.ts";
import { clusters, request, uniqueIndex } from "../fixtures/opensearch.ts";
import { removeShopKey } from "../fixtures/shop-key.ts";
import { suite } from "../suite.ts";

const test = suite("searches and clicks, from the API to the bucket and the reports");

const BUCKET = "demo-relevance-123456789012-eu-west-1";
const USERS = 16;
const index = uniqueIndex("books-clicked");
const conf = join(scratchFolder(TEST_OUTPUT, "clicks-conf"), "conf");
cpSync(join(ROOT, "conf.local"), conf, { recursive: true });
removeShopKey(conf);
appendFileSync(
  join(conf, "hybrid_search.yaml"),
  `
experiments:
  - name: more_text
    index: ${index}
    variants:
      - { name: control, share: 0.5 }
      - { name: text, share: 0.5, settings: { weights: [0.2, 0.8] } }
`,
);
writeFileSync(
  join(conf, "recommendation.yaml"),
  `
placements:
  - name: picked
    limit: 2
    fallback: [{ list: items, item_ids: [B0001, B0002] }]
    experiment:
      name: length
      variants:
        - { name: both, share: 0.5 }
        - { name: one, share: 0.5, settings: { limit: 1 } }
`,
);
const [cluster] = await clusters();
assert.ok(cluster);

let dev: DevProcess;
let state: DevState;
let local: ReturnType<typeof localFolder>;

test.before(async () => {
  const dir = scratchFolder(TEST_OUTPUT, "clicks-dev");
  const env = { OPENSEARCH_URL: cluster.url, PORT: String((await freePorts(5))[0]) };
  dev = startDev(dir, ["--no-demo", "--conf", conf], env);
  state = await dev.ready();
  local = localFolder(state.aws.endpoint);
  for (const [id, text] of [
    ["b1", "salt"],
    ["b2", "a road of salt, and nothing else"],
  ]) {
    await request(cluster, "PUT", `/${index}/_doc/${id}?refresh=true`, { title: text, text });
  }
});

test.after(async () => {
  local?.remove();
  dev?.interrupt();
  await dev?.exited;
  await request(cluster, "DELETE", `/${index}`);
});

interface Answer {
  accepted?: number;
  experiment?: { name: string; variant: string };
  response?: { accepted: number; placement: { variant: string } };
  search_response?: { hits: { hits: { _id: string }[] } };
}

async function post(path: string, body: object, service = state.search): Promise<{ queryId: string; body: Answer }> {
  const answer = await fetch(`${service.url}${path}`, {
    method: "POST",
    headers: { "x-api-key": service.api_key, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  assert.is(answer.status, 200, text);
  return { queryId: answer.headers.get("x-query-id") ?? "", body: JSON.parse(text) };
}

async function click(queryId: string, object_id: string): Promise<void> {
  const event_attributes = { object: { object_id }, position: { ordinal: 1 } };
  const event = { action_name: "click", timestamp: new Date().toISOString(), query_id: queryId, event_attributes };
  const { body } = await post("/application/events", { events: [event] });
  assert.is(body.accepted, 1);
}

/** Waits for a line of each query below a prefix of the local bucket. Returns the objects and all lines. */
function stored(Prefix: string, queryIds: readonly string[]): Promise<{ keys: string[]; lines: string[] }> {
  const options = clientOptions({ endpoint: state.aws.endpoint, region: "eu-west-1" });
  const s3 = new S3Client({ ...options, forcePathStyle: true });
  return waitFor(
    async () => {
      const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: BUCKET, Prefix }));
      const keys = Contents.map(({ Key = "" }) => Key);
      const texts = await Promise.all(
        keys.map(async (Key) => {
          const { Body } = await s3.send(new GetObjectCommand({ Bucket: BUCKET, Key }));
          return gunzipSync((await Body?.transformToByteArray()) ?? new Uint8Array()).toString();
        }),
      );
      const lines = texts.flatMap((text) => text.split("\n"));
      return queryIds.every((id) => lines.some((line) => line.includes(id))) && { keys, lines };
    },
    { what: `lines of ${queryIds.length} queries in ${Prefix}`, timeoutMs: 60_000, intervalMs: 250 },
  );
}

const lineOf = (lines: readonly string[], id: string) => JSON.parse(lines.find((line) => line.includes(id)) ?? "");

test("stores a search and its click in objects where the Glue tables expect them", async () => {
  const searched = {
    index,
    user_id: "u-1",
    user_query: "a road",
    search_request: { query: { match: { text: "road" } } },
  };
  const { queryId } = await post("/application/search", searched);
  await click(queryId, "b2");

  const searches = await stored("logs/search/", [queryId]);
  for (const key of searches.keys) assert.match(key, /^logs\/search\/day=\d{4}-\d\d-\d\d\/[^/]+$/);
  const { type, application, user_id, user_query, query_attributes, ...line } = lineOf(searches.lines, queryId);
  assert.equal([type, application, user_id, user_query], ["relevance.search", "demo", "u-1", "a road"]);
  assert.equal([query_attributes.index, line.query_response_hit_ids], [index, ["b2"]]);

  const events = await stored("logs/events/", [queryId]);
  for (const key of events.keys) assert.match(key, /^logs\/events\/day=\d{4}-\d\d-\d\d\/[^/]+$/);
  const event = lineOf(events.lines, queryId);
  assert.equal([event.type, event.application, event.action_name], ["relevance.event", "demo", "click"]);
  assert.equal(event.event_attributes, { object: { object_id: "b2" }, position: { ordinal: 1 } });
});

test("counts every accepted click in the judgments and in the report of the experiment", async () => {
  const queries = [{ match: { title: "salt" } }, { match: { text: "salt" } }];
  const asked: { queryId: string; variant: string }[] = [];
  for (let user = 0; user < USERS; user += 1) {
    const search = { index, search_query: "salt", search_request_template: { query: { hybrid: { queries } } } };
    const { queryId, body } = await post("/application/hybrid-search", { ...search, user_id: `user-${user}` });
    assert.equal(body.search_response?.hits.hits.map(({ _id }) => _id).toSorted(), ["b1", "b2"]);
    asked.push({ queryId, variant: body.experiment?.variant ?? "" });
    await click(queryId, user % 4 === 0 ? "b1" : "b2");
  }
  const queryIds = asked.map(({ queryId }) => queryId);
  await stored("logs/search/", queryIds);
  await stored("logs/events/", queryIds);

  const LOCAL = ["--local", "--conf", conf, "--json"];
  const judged = await local.run("judgments", "from-clicks", "--index", index, "--min-impressions", "2", ...LOCAL);
  assert.is(judged.code, 0, judged.err);
  const clicks = (JSON.parse(judged.out) as { document: string; impressions: number; clicks: number }[]).map(
    ({ document, impressions, clicks: counted }) => [document, impressions, counted],
  );
  assert.equal(clicks.toSorted(), [
    ["b1", USERS, USERS / 4],
    ["b2", USERS, (3 * USERS) / 4],
  ]);

  const reported = await local.run("experiment", "report", "more_text", ...LOCAL);
  assert.is(reported.code, 0, reported.err);
  const { variants }: ExperimentReport = JSON.parse(reported.out);
  const usersOf = (name: string) => asked.filter(({ variant }) => variant === name).length;
  assert.equal(
    variants.map(({ name, users, searches, measures }) => [name, users, searches, measures.click_through.value]),
    ["control", "text"].map((name) => [name, usersOf(name), usersOf(name), 1]),
  );
  assert.ok(usersOf("control") > 0 && usersOf("text") > 0);
});

test("counts every list of a placement and what followed from it, by variant", async () => {
  const { recommendation } = state;
  assert.ok(recommendation);
  const asked: { user: string; variant: string }[] = [];
  const items = ["B0001", "B0002"].map((ITEM_ID) => ({ ITEM_ID, TITLE: "t", AUTHOR: "a", CATEGORIES: "Fantasy" }));
  const uploaded = await post("/update-items", { items }, recommendation);
  assert.is(uploaded.body.response?.accepted, 2, JSON.stringify(uploaded.body));
  for (let user = 0; user < USERS; user += 1) {
    const user_id = `reader-${user}`;
    const { body } = await post("/recommend-for-placement", { placement: "picked", user_id }, recommendation);
    asked.push({ user: user_id, variant: body.response?.placement.variant ?? "" });
  }
  const events = asked.map(({ user: USER_ID }, index) => ({
    USER_ID,
    ITEM_ID: "B0001",
    EVENT_TYPE: index % 2 ? "view" : "purchase",
  }));
  assert.is((await post("/log-event", { events }, recommendation)).body.response?.accepted, USERS);
  const users = asked.map(({ user }) => `"${user}"`);
  const { keys } = await stored("logs/recommendations/", users);
  for (const key of keys) assert.match(key, /^logs\/recommendations\/day=\d{4}-\d\d-\d\d\/[^/]+$/);
  await stored("events/", users);

  const reported = await local.run("report", "recommendations", "--days", "7", "--local", "--conf", conf, "--json");
  assert.is(reported.code, 0, reported.err);
  const { places, experiments }: RecommendationReport = JSON.parse(reported.out);
  const [picked, ...others] = places;
  assert.equal(others, []);
  const { place, answers, click_through, conversion, fallback } = picked ?? {};
  assert.equal([place, answers], ["picked", USERS]);
  assert.equal(
    [click_through, conversion, fallback].map((one) => one?.value),
    [1, 0.5, 1],
  );
  assert.equal(
    experiments[0]?.variants.map(({ name, users: count }) => [name, count]),
    ["both", "one"].map((name) => [name, asked.filter(({ variant }) => variant === name).length]),
  );
});

test("the functions and streams of the log need permissions here that the end-to-end run does not", () =>
  checkNeededHere({ cloud: { endpoint: state.aws.endpoint, region: "eu-west-1" }, project: "demo" }, "clicks.test"));

test.run();

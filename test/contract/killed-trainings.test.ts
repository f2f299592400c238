import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { paginateScan } from "@aws-sdk/client-dynamodb";
import * as assert from "uvu/assert";
import type { Names } from "../../lib/platform/naming/names.ts";
import { PREFIXES } from "../../lib/platform/naming/object-keys.ts";
import { seeded } from "../../lib/platform/statistics/random.ts";
import { dynamoTrainingState } from "../../lib/recommendation/training/state.ts";
import { freePorts } from "../../packages/processes/ports.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { type StartedRun, startCli } from "../cli/local-world.ts";
import { ROOT, TEST_OUTPUT } from "../fixtures/env.ts";
import { clusters } from "../fixtures/opensearch.ts";
import { removeShopKey } from "../fixtures/shop-key.ts";
import { suite } from "../suite.ts";
import { killableStack } from "./killed-stack.ts";

/** The stack or the tool is killed during upload, ETL and training; a second start must lose nothing acknowledged. */
const test = suite("kill -9 during upload, ETL and training");

const [USERS, ITEMS, EVENTS] = [60, 100, 6_000];
/** Events of one request of upload-sample. */
const BATCH = 500;

const random = seeded(11);
const folder = scratchFolder(TEST_OUTPUT, "killed-trainings");
const [cluster] = await clusters();
assert.ok(cluster);
// The tools find the restarted stack at the same address.
const PORT = String((await freePorts(5))[0]);
const args = ["--no-demo", "--conf", join(folder, "conf.local")];
const stack = killableStack(test, join(folder, ".local"), args, { OPENSEARCH_URL: cluster.url, PORT });

test.before(async () => {
  cpSync(join(ROOT, "conf.local"), join(folder, "conf.local"), { recursive: true });
  // One recipe, so that a training is short, and no placements, which use others.
  rmSync(join(folder, "conf.local", "recommendation.yaml"));
  removeShopKey(join(folder, "conf.local"));
  const solution = "recipes:\n  user_personalization:\n    target_event_type: view\n";
  writeFileSync(join(folder, "conf.local", "solution.yaml"), solution);
  writeFileSync(
    join(folder, "conf.local", "campaign.yaml"),
    "campaigns:\n  user_personalization:\n    min_provisioned_tps: 1\n",
  );
  writeFiles();
  await stack.start();
});

const range = (count: number) => [...Array(count).keys()];

/** Writes the three files. Each user likes the items of one of four authors. */
function writeFiles() {
  const write = (name: string, lines: string[]) => writeFileSync(join(folder, name), `${lines.join("\n")}\n`);
  write("users.csv", [
    "USER_ID,GENDER,AGE,LOCATION,MEMBERSHIP_ID",
    ...range(USERS).map((at) => `U${at},F,34,1,M-${at}`),
  ]);
  write("items.csv", ["ITEM_ID,TITLE,AUTHOR,CATEGORIES", ...range(ITEMS).map((at) => `B${at},T,A${at % 4},C`)]);
  const events = range(EVENTS).map((at) => {
    const user = at % USERS;
    const item = ((Math.floor(at / USERS) * 7 + user) % 25) * 4 + (user % 4);
    return `U${user},B${item},view,${1_740_000_000 + at * 60}`;
  });
  write("events.csv", ["USER_ID,ITEM_ID,EVENT_TYPE,TIMESTAMP", ...events]);
}

const training = () => dynamoTrainingState(stack.clients().dynamo, stack.names.table("training"));

/** Returns the times of the stored events, one for each event id, and how many users and items are stored. */
async function stored() {
  const count = async (table: Parameters<Names["table"]>[0]) => {
    let items = 0;
    const pages = paginateScan({ client: stack.clients().dynamo }, { TableName: stack.names.table(table) });
    for await (const { Count = 0 } of pages) items += Count;
    return items;
  };
  const times = [...(await stack.events()).values()].map(({ TIMESTAMP }) => TIMESTAMP);
  return { users: await count("users"), items: await count("items"), times: times.toSorted((a, b) => a - b) };
}

const EVERYTHING = { users: USERS, items: ITEMS, times: range(EVENTS).map((at) => 1_740_000_000 + at * 60) };

function upload(): StartedRun {
  const { url = "", api_key = "" } = stack.state().recommendation ?? {};
  const files = ["--users", "users.csv", "--items", "items.csv", "--interactions", "events.csv"];
  return startCli(folder, ["upload-sample", ...files, "--api-host", url, "--api-key", api_key]);
}

const train = () => startCli(folder, ["train", "--local", "--training-mode", "init", "--wait"]);

/** Waits until a condition holds. Throws with what the run has printed if the run ends first. */
async function during(run: StartedRun, what: string, condition: () => Promise<boolean>): Promise<void> {
  const early = run.ended.then(({ err }): never => {
    throw new Error(`it ended before ${what}:\n${err}`);
  });
  early.catch(() => {});
  await waitFor(condition, { what, timeoutMs: 300_000, intervalMs: 20, abort: early });
}

/** Waits until a random share of the events of an upload that starts with none is stored, 5 % to 60 %. */
function someEvents(run: StartedRun): Promise<void> {
  const requests = 1 + Math.floor(random() * ((0.6 * EVENTS) / BATCH));
  return during(run, `${requests} stored requests`, async () => (await stack.keys(PREFIXES.events)).length >= requests);
}

test("a second upload-sample continues after a killed first one and a killed stack, and everything is stored once", async () => {
  const first = upload();
  await someEvents(first);
  first.kill("SIGKILL");
  await first.ended;
  const before = (await stored()).times;
  assert.ok(before.length > 0 && before.length < EVENTS);

  const second = upload();
  const requests = (await stack.keys(PREFIXES.events)).length;
  await during(second, "a request of the second", async () => (await stack.keys(PREFIXES.events)).length > requests);
  await stack.kill();
  await stack.start();
  const { out, err, code } = await second.ended;
  assert.is(code, 0, err);
  assert.match(out, /^users +60 accepted, none rejected\nitems +100 accepted, none rejected\n/);
  assert.match(out, /^interactions +6,000 accepted, none rejected$/m);
  assert.equal(await stored(), EVERYTHING);
});

/** The run must say that its training is gone, not that the tool has a bug. */
async function isGone(run: StartedRun) {
  const { out, err, code } = await run.ended;
  assert.equal([code, out], [1, ""], err);
  assert.match(err, /The training init-\S+ is gone: the local stack was restarted meanwhile/);
  assert.not.match(err, "bug");
}

test("train --wait says that the training is gone when the AWS endpoint is killed during ETL's map", async () => {
  const run = train();
  await during(run, "a file of ETL's map", async () => {
    return (await training().lock())?.note?.step === "etl" && (await stack.keys(PREFIXES.etl)).length > 0;
  });
  await stack.kill("launcher.py");
  assert.match(stack.output(), "moto, the local AWS endpoint, ended with SIGKILL");
  await stack.start();
  await isGone(run);
  assert.equal(await stored(), EVERYTHING);
});

test("train --wait says that the training is gone when the stack is killed while a model is trained, and nothing is lost", async () => {
  const run = train();
  await during(run, "a solution version", async () => {
    return (await training().lock())?.note?.recipes[0]?.stage === "version";
  });
  await stack.kill();
  await stack.start();
  await isGone(run);
  assert.equal(await stored(), EVERYTHING);
});

test("a training continues to its end when train --wait is killed", async () => {
  const run = train();
  await during(run, "the imports", async () => (await training().lock())?.note?.step === "imports");
  run.kill("SIGKILL");
  await run.ended;
  await waitFor(async () => (await training().recipe("user_personalization"))?.active !== undefined, {
    what: "the campaign of the training",
    timeoutMs: 300_000,
  });
  await waitFor(async () => (await training().lock()) === undefined, {
    what: "the end of the training",
    timeoutMs: 300_000,
  });
});

/** Returns what `relevance status` says about models, campaigns and trainings. */
async function status() {
  const { out, err, code } = await startCli(folder, ["status", "--local", "--json"]).ended;
  assert.is(code, 0, err);
  const { solutions, campaigns, training, held } = JSON.parse(out);
  return { solutions, campaigns, training, held };
}

test("after the stack is killed, a trained model still serves, and a held model can still be accepted", async () => {
  const known = await training().recipe("user_personalization");
  assert.ok(known?.active);
  const held = [{ ...known.active, reason: "a larger drop than the tolerance allows" }];
  await training().saveRecipe("user_personalization", { ...known, held, revision: known.revision + 1 });
  const before = await status();
  assert.ok(before.held.user_personalization);
  assert.equal(
    before.campaigns.map(({ status }: { status: string }) => status),
    ["ACTIVE"],
  );
  await stack.kill();
  await stack.start();
  assert.equal(await status(), before);
  const { url = "", api_key = "" } = stack.state().recommendation ?? {};
  const answer = await fetch(`${url}/recommend-items-to-user`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": api_key },
    body: JSON.stringify({ user_id: "U1", limit: 3, filter_name: "", filter_value_dict: {} }),
  });
  const { response, degraded } = (await answer.json()) as { response: { items: unknown[] }; degraded?: unknown };
  assert.equal([answer.status, response.items.length, degraded], [200, 3, undefined]);
});

test("the person is gone after forget is killed and run again, and the stack is killed", async () => {
  const FORGET = ["forget", "--local", "--user", "U1", "--yes"];
  const first = startCli(folder, FORGET);
  await during(first, "the first step", async () => first.errors().includes("record of the user: deleted"));
  first.kill("SIGKILL");
  await first.ended;
  const { err, code } = await startCli(folder, FORGET).ended;
  assert.is(code, 0, err);
  await stack.kill();
  await stack.start();
  const times = EVERYTHING.times.filter((_, at) => at % USERS !== 1);
  assert.equal(await stored(), { ...EVERYTHING, users: USERS - 1, times });
});

test.run();

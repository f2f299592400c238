import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { GetItemCommand } from "@aws-sdk/client-dynamodb";
import { ListFiltersCommand, PersonalizeClient } from "@aws-sdk/client-personalize";
import { ListObjectsV2Command } from "@aws-sdk/client-s3";
import * as assert from "uvu/assert";
import { namesOf } from "../../lib/platform/naming/names.ts";
import { localClients } from "../../packages/local/dev/clients.ts";
import type { DevState } from "../../packages/local/dev/state-file.ts";
import { type DevProcess, startDev } from "../../packages/local/test/dev/dev-process.ts";
import { ACCOUNT_ID, REGION } from "../../packages/local-aws/cloud/account.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { clientOptions } from "../fixtures/cloud.ts";
import { ROOT, TEST_OUTPUT } from "../fixtures/env.ts";
import { clusters } from "../fixtures/opensearch.ts";
import { suite } from "../suite.ts";
import { runIndexGuide, runRawBackendGuide } from "./guides.ts";

/** What `make dev` keeps of the recommendation service when nothing was trained, and how it forgets it. */
const test = suite("make dev keeps what was uploaded");

const dir = scratchFolder(TEST_OUTPUT, "dev-kept");
const names = namesOf({ project: "demo", account: ACCOUNT_ID, region: REGION });

let dev: DevProcess;
let state: DevState;

/** The run's cluster, in place of one that `make dev` starts: only the guides need that, since they delete indexes. */
const [given] = await clusters();
const onGiven = { OPENSEARCH_URL: given?.url ?? "" };

async function start(args: readonly string[], env: Record<string, string> = onGiven) {
  dev = startDev(dir, ["--no-demo", ...args], env);
  state = await dev.ready();
}
async function stop() {
  dev.interrupt();
  assert.is(await dev.exited, 0, dev.output());
}

/** conf.local with a key for administration, beside the stack's own key, which may do everything. */
const withKeys = () =>
  changedConf("with-keys", "api.yaml", (text) => `${text}\n  - {name: indexes, endpoints: [administration, bulk]}\n`);

test.before(() => start(["--conf", withKeys()]));
test.after(() => stop());

async function post(path: string, body: unknown): Promise<boolean> {
  const { url = "", api_key = "" } = state.recommendation ?? {};
  const answer = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": api_key },
    body: JSON.stringify(body),
  });
  assert.is(answer.status, 200, await answer.text());
  return true;
}

/** Sends the user until it is accepted: the store of a busy machine may not answer in time, and replacing is safe. */
const save = (user: object) =>
  waitFor(() => post("/update-users", { users: [user] }), { what: "the user to be accepted", timeoutMs: 30_000 });

/** Returns what is in the local AWS endpoint: the user's membership, and keys and ETags of event objects. */
async function kept() {
  const { dynamo, s3 } = localClients({ endpoint: state.aws.endpoint, region: REGION });
  const Key = { USER_ID: { S: "Ünïcode 1" } };
  const [{ Item }, { Contents = [] }] = await Promise.all([
    dynamo.send(new GetItemCommand({ TableName: names.table("users"), Key })),
    s3.send(new ListObjectsV2Command({ Bucket: names.bucket(), Prefix: "events/" })),
  ]);
  return { membership: Item?.MEMBERSHIP_ID?.S, objects: Contents.map(({ Key, ETag }) => [Key, ETag]) };
}

const USER = { USER_ID: "Ünïcode 1", GENDER: "F", AGE: 34, LOCATION: 10_115, MEMBERSHIP_ID: "M-1" };
let before: Awaited<ReturnType<typeof kept>>;

test("has the names and functions of a deployment", async () => {
  await save(USER);
  await post("/log-event", { events: [{ USER_ID: USER.USER_ID, ITEM_ID: "B1", EVENT_TYPE: "view" }] });
  before = await kept();
  assert.is(before.membership, "M-1");
  assert.is(before.objects.length, 1);
});

test("keeps both over a restart, with events as received", async () => {
  await stop();
  await start(["--conf", withKeys()], {});
  assert.equal(await kept(), before);
});

test("every command of the guides on indexes and the native API works as printed, on indexes with a key for them", async () => {
  const { url, api_key } = state.search;
  await runIndexGuide({ url, key: state.keys?.indexes ?? "" }, dir, state.aws.endpoint);
  await runRawBackendGuide({ url, key: api_key });
});

/** Writes the local configuration with one changed file. Returns its folder. */
function changedConf(name: string, file: string, change: (text: string) => string): string {
  const conf = join(dir, name);
  cpSync(join(ROOT, "conf.local"), conf, { recursive: true });
  const path = join(conf, file);
  const before = readFileSync(path, "utf8");
  const after = change(before);
  assert.is.not(after, before);
  writeFileSync(path, after);
  return conf;
}

async function filters(): Promise<(string | undefined)[]> {
  const personalize = new PersonalizeClient(clientOptions({ endpoint: state.aws.endpoint, region: REGION }));
  const datasetGroupArn = names.arn("personalize", `dataset-group/${names.datasetGroup()}`);
  const { Filters = [] } = await personalize.send(new ListFiltersCommand({ datasetGroupArn }));
  return Filters.map(({ name }) => name).toSorted();
}

const CATEGORY = "INCLUDE ItemID WHERE Items.CATEGORIES IN ($CATEGORY)";
const CHANGED = "EXCLUDE ItemID WHERE Items.CATEGORIES IN ($CATEGORY)";

test("also keeps later changes, and follows filter.yaml", async () => {
  assert.is((await filters()).length, 2);
  assert.ok((await filters()).includes(names.filter("category", CATEGORY)));
  await save({ ...USER, MEMBERSHIP_ID: "M-2" });
  await post("/log-event", { events: [{ USER_ID: USER.USER_ID, ITEM_ID: "B2", EVENT_TYPE: "view" }] });
  await stop();
  const withoutSecond = (text: string) => text.slice(0, text.indexOf('  # {"filter_name": "unseen"'));
  const changed = (text: string) => withoutSecond(text).replace(CATEGORY, CHANGED);
  await start(["--conf", changedConf("other-filters", "filter.yaml", changed)]);
  const { membership, objects } = await kept();
  assert.equal([membership, objects.length], ["M-2", 2]);
  assert.equal(await filters(), [names.filter("category", CHANGED)]);
});

test("refuses a schema that the kept data does not fit, and says what to do", async () => {
  await stop();
  const conf = changedConf("other-schema", "schema/user_schema.json", (text) => {
    return text.replace(/("name": "GENDER",\s*"type": )"string"/, '$1["null", "string"]');
  });
  dev = startDev(dir, ["--no-demo", "--conf", conf], onGiven);
  assert.is(await dev.exited, 1, dev.output());
  assert.match(dev.output(), "the function personalize-manager failed: The dataset demo-user cannot take the schema");
  assert.match(dev.output(), "make dev ARGS=--reset-recommendation");
});

test("forgets it with --reset-recommendation", async () => {
  await start(["--reset-recommendation"]);
  assert.equal(await kept(), { membership: undefined, objects: [] });
});

test.run();

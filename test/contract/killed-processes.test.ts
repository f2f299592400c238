import { gunzipSync } from "node:zlib";
import { BatchGetItemCommand } from "@aws-sdk/client-dynamodb";
import { GetObjectCommand, ListObjectsV2Command } from "@aws-sdk/client-s3";
import * as assert from "uvu/assert";
import { namesOf } from "../../lib/platform/naming/names.ts";
import { localClients } from "../../packages/local/dev/clients.ts";
import type { DevState } from "../../packages/local/dev/state-file.ts";
import { type DevProcess, startDev } from "../../packages/local/test/dev/dev-process.ts";
import { ACCOUNT_ID, REGION } from "../../packages/local-aws/cloud/account.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { pidsBelow } from "../fixtures/processes.ts";
import { suite } from "../suite.ts";
import { Ledger, type Operation, verdictsOf } from "./ledger.ts";

/** Every process of the local stack is killed while clients write; what was acknowledged must be there afterwards. */
const test = suite("kill -9 of a process of the local stack");

const dir = scratchFolder(TEST_OUTPUT, "killed-processes");
const names = namesOf({ project: "demo", account: ACCOUNT_ID, region: REGION });
const INDEX = "killed";
const ROUND = 15;

let dev: DevProcess;
let state: DevState;
const documents = new Ledger();
const events = new Set<string>();
const users = new Map<string, string>();
let number = 0;

async function start() {
  dev = startDev(dir, ["--no-demo"]);
  state = await dev.ready();
}

test.before(start);
test.after(async () => {
  dev?.interrupt();
  await dev?.exited;
});

/** Returns the answer's body, or undefined if the connection broke. */
async function post(service: "search" | "recommendation", path: string, body: object) {
  const { url = "", api_key = "" } = state[service] ?? {};
  try {
    const headers = { "content-type": "application/json", "x-api-key": api_key };
    const answer = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return (await answer.json()) as { response?: { accepted: number } } & Parameters<typeof verdictsOf>[1] & object;
  } catch {
    return undefined;
  }
}

/** Sends requests, counts the acknowledged ones, and ends when the connection breaks. */
const clients = {
  async bulk(count: { done: number }) {
    for (let isAlive = true; isAlive; ) {
      const bulk_request = Array.from({ length: 20 }, (): Operation => {
        number += 1;
        return { id: `d${number}`, op: "index", doc: { n: number } };
      });
      const answer = await post("search", "/application/bulk", { index: INDEX, bulk_request });
      const verdicts = verdictsOf(bulk_request.length, answer);
      for (const [at, operation] of bulk_request.entries()) documents.note(operation, verdicts[at] ?? "unknown", "");
      isAlive = verdicts.every((verdict) => verdict === "done");
      count.done += 1;
    }
  },
  async events(count: { done: number }) {
    for (let isAlive = true; isAlive; ) {
      const sent = Array.from({ length: 10 }, () => `e${++number}`);
      const answer = await post("recommendation", "/log-event", {
        events: sent.map((EVENT_ID) => ({ EVENT_ID, USER_ID: "u", ITEM_ID: "i", EVENT_TYPE: "view" })),
      });
      isAlive = answer?.response?.accepted === sent.length;
      if (isAlive) for (const id of sent) events.add(id);
      count.done += 1;
    }
  },
  async users(count: { done: number }) {
    for (let isAlive = true; isAlive; ) {
      // Few ids, so that most uploads replace a record.
      const sent = Array.from({ length: 10 }, (_, at) => [`u${at}`, `M-${++number}`] as const);
      const answer = await post("recommendation", "/update-users", {
        users: sent.map(([USER_ID, MEMBERSHIP_ID]) => ({ USER_ID, MEMBERSHIP_ID, GENDER: "F", AGE: 34, LOCATION: 1 })),
      });
      isAlive = answer?.response?.accepted === sent.length;
      // Without an answer the last records may or may not have been replaced.
      for (const [id, membership] of sent) isAlive ? users.set(id, membership) : users.delete(id);
      count.done += 1;
    }
  },
};

/** Kills while all clients are busy, starts the stack again and compares what is stored. */
async function killAndCompare(kill: () => void): Promise<void> {
  const counts = { bulk: { done: 0 }, events: { done: 0 }, users: { done: 0 } };
  const busy = Promise.all([clients.bulk(counts.bulk), clients.events(counts.events), clients.users(counts.users)]);
  await waitFor(async () => Object.values(counts).every(({ done }) => done >= ROUND), {
    what: "clients at work",
    timeoutMs: 120_000,
    intervalMs: 5,
  });
  kill();
  await dev.exited;
  await busy;
  await start();
  const found = await stored();
  const ids = documents.ids();
  assert.ok(documents.counts.done >= ROUND * 20 && events.size >= ROUND * 10);
  assert.equal(
    ids.filter((id) => !documents.allows(id, found.documents.get(id))),
    [],
    "acknowledged documents",
  );
  assert.equal(
    [...events].filter((id) => !found.events.has(id)),
    [],
    "acknowledged events",
  );
  assert.equal(
    [...users].filter(([id, membership]) => found.users.get(id) !== membership),
    [],
    "acknowledged users",
  );
}

async function stored() {
  const { dynamo, s3 } = localClients({ endpoint: state.aws.endpoint, region: REGION });
  const ids = documents.ids();
  const answer = await fetch(`${state.opensearch.url}/${INDEX}/_mget`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ids }),
  });
  const { docs } = (await answer.json()) as { docs: Array<{ _id: string; _source?: { n: number } }> };

  const found = new Set<string>();
  const Bucket = names.bucket();
  let ContinuationToken: string | undefined;
  do {
    const page = await s3.send(new ListObjectsV2Command({ Bucket, Prefix: "events/", ContinuationToken }));
    for (const { Key } of page.Contents ?? []) {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
      const lines = gunzipSync((await Body?.transformToByteArray()) ?? new Uint8Array())
        .toString()
        .trim();
      for (const line of lines.split("\n")) found.add((JSON.parse(line) as { EVENT_ID: string }).EVENT_ID);
    }
    ContinuationToken = page.NextContinuationToken;
  } while (ContinuationToken);

  const table = names.table("users");
  const Keys = Array.from({ length: 10 }, (_, at) => ({ USER_ID: { S: `u${at}` } }));
  const { Responses = {} } = await dynamo.send(new BatchGetItemCommand({ RequestItems: { [table]: { Keys } } }));
  return {
    documents: new Map(docs.map(({ _id, _source }) => [_id, _source?.n])),
    events: found,
    users: new Map((Responses[table] ?? []).map((item) => [item.USER_ID?.S ?? "", item.MEMBERSHIP_ID?.S])),
  };
}

function killAll(pids: readonly number[]): void {
  assert.ok(pids.length > 0);
  for (const pid of pids) process.kill(pid, "SIGKILL");
}

test("the process with both services, the state machines and Personalize", () =>
  killAndCompare(() => process.kill(dev.pid, "SIGKILL")));

test("OpenSearch", () => killAndCompare(() => killAll(pidsBelow(dev.pid, "org.opensearch.bootstrap.OpenSearch"))));

test("the AWS endpoint", () => killAndCompare(() => killAll(pidsBelow(dev.pid, "launcher.py"))));

test.run();

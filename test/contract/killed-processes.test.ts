import { BatchGetItemCommand } from "@aws-sdk/client-dynamodb";
import * as assert from "uvu/assert";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";
import { killableStack } from "./killed-stack.ts";

/**
 * Processes of the local stack are killed while clients write; what was acknowledged must be there afterwards.
 * killed-trainings.test.ts kills the process with both services.
 */
const test = suite("kill -9 of a process of the local stack");

const stack = killableStack(test, scratchFolder(TEST_OUTPUT, "killed-processes"), ["--no-demo"]);
test.before(() => stack.start());

const INDEX = "killed";
const ROUND = 15;
/** What was acknowledged: documents, events, and the membership of each user in the last upload. */
const documents = new Set<string>();
const events = new Set<string>();
const users = new Map<string, string>();
let number = 0;
const some = (prefix: string, count: number) => Array.from({ length: count }, () => `${prefix}${++number}`);

interface Answer {
  index_response?: { items: Array<{ index: { _id: string; status: number } }> };
  response?: { accepted: number };
}

/** Returns the answer's body, or undefined if the connection broke. */
async function post(service: "search" | "recommendation", path: string, body: object): Promise<Answer | undefined> {
  const { url = "", api_key = "" } = stack.state()[service] ?? {};
  const headers = { "content-type": "application/json", "x-api-key": api_key };
  return fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) })
    .then((answer) => answer.json() as Promise<Answer>)
    .catch(() => undefined);
}

/** Each sends one request, notes what is acknowledged, and returns whether all of it is. */
const clients = {
  async bulk() {
    const bulk_request = some("d", 20).map((id) => ({ id, op: "index", doc: { n: id } }));
    const answer = await post("search", "/application/bulk", { index: INDEX, bulk_request });
    const written = (answer?.index_response?.items ?? []).filter(({ index }) => index.status < 300);
    for (const { index } of written) documents.add(index._id);
    return written.length === bulk_request.length;
  },
  async events() {
    const sent = some("e", 10);
    const answer = await post("recommendation", "/log-event", {
      events: sent.map((EVENT_ID) => ({ EVENT_ID, USER_ID: "u", ITEM_ID: "i", EVENT_TYPE: "view" })),
    });
    const isDone = answer?.response?.accepted === sent.length;
    if (isDone) for (const id of sent) events.add(id);
    return isDone;
  },
  async users() {
    // Few ids, so that most uploads replace a record.
    const sent = some("M-", 10).map((membership, at) => [`u${at}`, membership] as const);
    const answer = await post("recommendation", "/update-users", {
      users: sent.map(([USER_ID, MEMBERSHIP_ID]) => ({ USER_ID, MEMBERSHIP_ID, GENDER: "F", AGE: 34, LOCATION: 1 })),
    });
    const isDone = answer?.response?.accepted === sent.length;
    // Without an answer the last records may or may not have been replaced.
    for (const [id, membership] of sent) isDone ? users.set(id, membership) : users.delete(id);
    return isDone;
  },
};

for (const [what, program] of [
  ["OpenSearch", "org.opensearch.bootstrap.OpenSearch"],
  ["the AWS endpoint", "launcher.py"],
] as const) {
  test(`${what}: what was acknowledged is stored`, async () => {
    const counts = new Map<string, number>();
    const busy = Promise.all(
      Object.entries(clients).map(async ([name, write]) => {
        while (await write()) counts.set(name, (counts.get(name) ?? 0) + 1);
      }),
    );
    const atWork = async () => counts.size === 3 && [...counts.values()].every((count) => count >= ROUND);
    await waitFor(atWork, { what: "clients at work", timeoutMs: 120_000, intervalMs: 5 });
    await stack.kill(program);
    await busy;
    await stack.start();
    const found = await stored();
    assert.ok(documents.size >= ROUND * 20 && events.size >= ROUND * 10);
    const lost = (acknowledged: Iterable<string>, all: { has(id: string): boolean }) =>
      [...acknowledged].filter((id) => !all.has(id));
    assert.equal(lost(documents, found.documents), [], "acknowledged documents");
    assert.equal(lost(events, found.events), [], "acknowledged events");
    const other = [...users].filter(([id, membership]) => found.users.get(id) !== membership);
    assert.equal(other, [], "acknowledged users");
  });
}

async function stored() {
  const answer = await fetch(`${stack.state().opensearch.url}/${INDEX}/_mget`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ids: [...documents] }),
  });
  const { docs } = (await answer.json()) as { docs: Array<{ _id: string; _source?: { n: string } }> };
  const table = stack.names.table("users");
  const Keys = Array.from({ length: 10 }, (_, at) => ({ USER_ID: { S: `u${at}` } }));
  const { Responses = {} } = await stack
    .clients()
    .dynamo.send(new BatchGetItemCommand({ RequestItems: { [table]: { Keys } } }));
  return {
    documents: new Set(docs.flatMap(({ _id, _source }) => (_source?.n === _id ? _id : []))),
    events: await stack.events(),
    users: new Map((Responses[table] ?? []).map((item) => [item.USER_ID?.S ?? "", item.MEMBERSHIP_ID?.S])),
  };
}

test.run();

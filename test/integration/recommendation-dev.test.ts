import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { REGION } from "../../local/cloud/front.ts";
import { decisionsOf } from "../../local/cloud/permissions.ts";
import type { DevState } from "../../local/dev/state-file.ts";
import { scratchFolder } from "../../local/process/scratch.ts";
import { waitFor } from "../../local/process/wait.ts";
import { ROOT, TEST_OUTPUT } from "../fixtures/env.ts";
import { type DevProcess, processesOf, startDev } from "../local/dev/dev-process.ts";
import { suite } from "../suite.ts";

/** `make dev` and `make demo-train` as a newcomer meets them: from CSV files to recommendations, twice on one folder. */
const test = suite("make dev with recommendations");

/** The working folder, as the commands find the stack below it. */
const folder = scratchFolder(TEST_OUTPUT, "recommendation-dev");
const dir = join(folder, ".local");
const CONF = join(ROOT, "conf.local");
const CAMPAIGN_SEEN_MS = 120_000;

let dev: DevProcess;
let state: DevState & Required<Pick<DevState, "recommendation">>;

async function start() {
  dev = startDev(dir);
  const ready = await dev.ready();
  assert.ok(ready.recommendation, dev.output());
  state = { ...ready, recommendation: ready.recommendation };
}

test.before(async () => {
  mkdirSync(dir, { recursive: true });
  await start();
});

interface Answer {
  response: { items: { ITEM_ID: string; TITLE: string; CATEGORIES: string }[] };
  search_response: { hits: { hits: { _id: string }[] } };
  degraded?: { stage: string }[];
  error?: { code: string };
}

async function post(path: string, body: unknown, { url, api_key } = state.recommendation) {
  const answer = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": api_key },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: (await answer.json()) as Answer };
}
const NO_FILTER = { filter_name: "", filter_value_dict: {} };
const forUser = async (user_id: string, more: object = {}) => {
  const { status, body } = await post("/recommend-items-to-user", { user_id, limit: 10, ...NO_FILTER, ...more });
  assert.is(status, 200, JSON.stringify(body));
  return body;
};
const ids = ({ response }: Answer) => response.items.map(({ ITEM_ID }) => ITEM_ID);

/** Runs a program of the repository in the working folder; gives what it printed. */
async function run(...args: string[]): Promise<string> {
  const child = spawn(process.execPath, args, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
  const [code] = await once(child, "close");
  assert.is(code, 0, output);
  return output;
}
const demoTrain = (...args: string[]) => run(join(ROOT, "local/dev/demo-train.ts"), "--conf", CONF, ...args);
const relevance = (...args: string[]) => run(join(ROOT, "cli/main.ts"), ...args, "--local", "--conf", CONF);

/** The curl commands of an output, character by character. */
const commandsOf = (output: string) => output.match(/^curl -s (?:.|\n)*?'$(?=\n\n)/gm) ?? [];
const curl = (command: string) => JSON.parse(execFileSync("sh", ["-c", command], { encoding: "utf8" })) as Answer;

test("before any training, says how to get there and answers not_trained", async () => {
  assert.match(dev.output(), "Recommendations need data and a training.");
  assert.match(dev.output(), "  make demo-train");
  const { status, body } = await post("/recommend-items-to-user", { user_id: "U0001", limit: 3, ...NO_FILTER });
  assert.equal([status, body.error?.code], [503, "not_trained"]);
});

let report = "";

test("make demo-train goes from CSV files to recommendations, and shows its commands", async () => {
  report = await demoTrain();
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

test("hides the functions' metric lines from the terminal", () => {
  assert.not.match(dev.output(), "_aws");
});

test("recommends different readers different books, with their records", async () => {
  const [a, b] = [await forUser("U0001"), await forUser("U0002")];
  assert.is(a.response.items.length, 10);
  assert.ok(a.response.items.every(({ TITLE, CATEGORIES }) => TITLE !== "" && CATEGORIES !== ""));
  assert.is.not(ids(a).join(), ids(b).join());
});

test("recommends books similar to a book, and ranks given ones", async () => {
  const like = await post("/recommend-items-to-item", { item_id: "B0001", limit: 5, ...NO_FILTER });
  assert.is(like.body.response.items.length, 5);
  const item_ids = ["B0001", "B0002", "B0003", "B0004"];
  const ranked = await post("/rank-items-to-user", { user_id: "U0001", item_ids });
  assert.equal(ids(ranked.body).toSorted(), item_ids);
});

test("filters by the value of a placeholder, and by what the reader has seen", async () => {
  const filter = { filter_name: "category", filter_value_dict: { CATEGORY: "Mystery" } };
  const filtered = await forUser("U0001", filter);
  assert.is(filtered.response.items.length, 10);
  assert.ok(filtered.response.items.every(({ CATEGORIES }) => CATEGORIES.split("|").includes("Mystery")));
  const unseen = { filter_name: "unseen", filter_value_dict: {} };
  const [first = ""] = ids(await forUser("U0003", unseen));
  await post("/log-event", { events: [{ USER_ID: "U0003", ITEM_ID: first, EVENT_TYPE: "view" }] });
  assert.not(ids(await forUser("U0003", unseen)).includes(first));
});

test("counts events at once: a new reader's views change what is recommended", async () => {
  const before = await forUser("newcomer");
  const { response } = await forUser("U0001", { filter_name: "category", filter_value_dict: { CATEGORY: "Cooking" } });
  const events = response.items
    .slice(0, 6)
    .map(({ ITEM_ID }) => ({ USER_ID: "newcomer", ITEM_ID, EVENT_TYPE: "view" }));
  const logged = await post("/log-event", { events });
  assert.equal([logged.status, logged.body.degraded], [200, undefined]);
  const cooking = (answer: Answer) =>
    answer.response.items.filter(({ CATEGORIES }) => CATEGORIES.split("|").includes("Cooking")).length;
  const after = await forUser("newcomer");
  assert.ok(cooking(after) > cooking(before), `${cooking(before)} before, ${cooking(after)} after`);
});

test("passes on a retired item: it is no longer recommended", async () => {
  const [top = ""] = ids(await forUser("U0002"));
  const records = (await forUser("U0002")).response.items;
  const record = records.find(({ ITEM_ID }) => ITEM_ID === top);
  await post("/update-items", { items: [{ ...record, IS_ACTIVE: "False" }] });
  assert.not(ids(await forUser("U0002")).includes(top));
});

const search = async (user_id: string | null) => {
  const { status, body } = await post(
    "/application/search",
    {
      index: "books",
      ...(user_id !== null && { user_id, business_rules: { is_personalized_enabled: true } }),
      search_request: { size: 30, _source: false, query: { match: { description: "letter sea" } } },
    },
    state.search,
  );
  assert.is(status, 200);
  return { order: body.search_response.hits.hits.map(({ _id }) => _id), degraded: body.degraded };
};

test("personalizes searches by the campaign that the gateway's configuration names", async () => {
  const plain = await search(null);
  const [a, b] = [await search("U0001"), await search("U0002")];
  assert.equal([a.degraded, b.degraded], [undefined, undefined]);
  assert.is.not(a.order.join(), plain.order.join());
  assert.is.not(a.order.join(), b.order.join());
});

test("both APIs and every function act for their roles, and no call was refused", async () => {
  const decisions = await decisionsOf({ endpoint: state.aws.endpoint });
  assert.equal(
    decisions.filter(({ allowed }) => !allowed),
    [],
  );
  const roles = new Set(decisions.map(({ principal }) => principal.split("/").at(-1)));
  for (const name of ["api-router", "recommendation-api", "etl", "training", "realtime-sync", "state-machines"])
    assert.ok(roles.has(`demo-${name}-${REGION}`), `${name} is not among ${[...roles].join(", ")}`);
});

test("relevance status --local shows the filter table with its five columns, and the campaigns", async () => {
  const output = await relevance("status");
  const header = output.split("\n").find((line) => line.includes("Filter Expression")) ?? output;
  const columns = ["Name", "ARN", "Status", "Filter Expression", "Last Updated"];
  assert.equal(
    header
      .split(/\s{2,}|\s*\|\s*/)
      .map((word) => word.trim())
      .filter((word) => word !== ""),
    columns,
  );
  assert.match(output, /demo-category-\d{10}/);
  assert.match(output, "INCLUDE ItemID WHERE Items.CATEGORIES IN ($CATEGORY)");
  for (const campaign of ["user-personalization", "similar-items", "personalized-ranking"]) {
    assert.match(output, `demo-${campaign}`);
  }
});

test("a second make demo-train uploads and trains nothing, and prints what to try", async () => {
  const output = await demoTrain();
  assert.match(output, "uploaded already\n");
  assert.match(output, "trained already");
  assert.not.match(output, "$ relevance");
  assert.is(commandsOf(output).length, 4);
});

test("keeps data, models and filters for the next start, whose banner has commands that work", async () => {
  const before = await forUser("U0001");
  const retired = await forUser("U0002");
  dev.interrupt();
  assert.is(await dev.exited, 0);
  assert.equal(processesOf(dir), []);
  await start();
  assert.equal(ids(await forUser("U0001")), ids(before));
  assert.equal(ids(await forUser("U0002")), ids(retired));
  const commands = commandsOf(dev.output());
  assert.is(commands.length, 7, dev.output());
  for (const answer of commands.slice(3).map(curl)) assert.is(answer.degraded, undefined);
});

test("trains again on what was kept, new events included", async () => {
  const output = await relevance(
    "train",
    "--recipes",
    "similar_items",
    "--training-mode",
    "update_dataset_group",
    "--wait",
    "--json",
  );
  assert.match(output, /"recipe": "similar_items",\s+"stage": "(done|held)"/);
  await waitFor(
    async () => {
      const { body } = await post("/recommend-items-to-item", { item_id: "B0001", limit: 5, ...NO_FILTER });
      return body.degraded === undefined && body.response.items.length === 5;
    },
    { what: "the campaign to answer", timeoutMs: CAMPAIGN_SEEN_MS },
  );
});

test("make demo-train --again uploads and trains again, in the mode that a trained project takes", async () => {
  const output = await demoTrain("--again");
  assert.match(output, "$ relevance upload-sample");
  assert.match(output, /\$ relevance train --local .*--training-mode update_dataset_group --wait/);
  assert.is(commandsOf(output).length, 4, output);
});

test("stops without leaving a process behind", async () => {
  dev.interrupt();
  assert.is(await dev.exited, 0);
  assert.equal(processesOf(dir), []);
});

test.run();

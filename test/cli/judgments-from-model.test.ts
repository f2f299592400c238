import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import * as assert from "uvu/assert";
import * as v from "valibot";
import { modelCheck } from "../../packages/lab/judgments/model-check.ts";
import { readJudgmentsFile } from "../../packages/lab/judgments/read.ts";
import { JudgmentFile } from "../../packages/lab/server/judgment-file.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { suite } from "../suite.ts";
import { runHere } from "./run-here.ts";

const test = suite("relevance judgments from-model");
const ROOT = resolve(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "from-model-"));
const KEY = "sk-secret";
const children = new Set<ChildProcess>();

/** What the protocol of chat completions allows, as far as the command may use it. */
const Chat = v.strictObject({
  model: v.string(),
  messages: v.tuple([v.strictObject({ role: v.literal("user"), content: v.string() })]),
  temperature: v.optional(v.number()),
});
const Converse = v.strictObject({
  messages: v.tuple([
    v.strictObject({ role: v.literal("user"), content: v.tuple([v.strictObject({ text: v.string() })]) }),
  ]),
  inferenceConfig: v.strictObject({ temperature: v.optional(v.number()) }),
});

/** The grade of a simulated judge: it takes what repeats the query for relevant. */
const gradeOf = (prompt: string) => {
  const query = /<search>(.*)<\/search>/.exec(prompt)?.[1] ?? "";
  const document = /<document>\n([\s\S]*)\n<\/document>/.exec(prompt)?.[1] ?? "";
  return document.includes(query) ? 3 : 0;
};

/** The judge's calls, and how many it answers before it stays silent. */
const judge = { calls: 0, answers: Number.POSITIVE_INFINITY, refusesTemperature: false };
const model = createServer(async (request, response) => {
  const body = JSON.parse(await text(request));
  const send = (status: number, value: object) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  };
  if (request.url === "/model/eu.test-v1%3A0/converse") {
    const [message] = v.parse(Converse, body).messages;
    const content = [{ text: `grade: ${gradeOf(message.content[0].text)}` }];
    return send(200, {
      output: { message: { role: "assistant", content } },
      stopReason: "end_turn",
      usage: { inputTokens: 100, outputTokens: 4, totalTokens: 104 },
      metrics: { latencyMs: 1 },
    });
  }
  assert.is(request.url, "/v1/chat/completions");
  const chat = v.safeParse(Chat, body);
  if (!chat.success) return send(400, { error: { message: v.summarize(chat.issues) } });
  if (request.headers.authorization !== `Bearer ${KEY}`) {
    return send(401, { error: { message: `Incorrect API key provided: ${request.headers.authorization}` } });
  }
  if (judge.refusesTemperature && chat.output.temperature !== undefined) {
    const message = "Unsupported value: 'temperature' does not support 0 with this model.";
    return send(400, {
      error: { message, type: "invalid_request_error", param: "temperature", code: "unsupported_value" },
    });
  }
  judge.calls += 1;
  if (judge.calls > judge.answers) return;
  const [{ content }] = chat.output.messages;
  const answer = content.includes("odd") ? "It depends." : `grade: ${gradeOf(content)}`;
  send(200, {
    id: "c1",
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", content: answer }, finish_reason: "stop" }],
    usage: { prompt_tokens: 200, completion_tokens: 5, total_tokens: 205 },
  });
});

/** A gateway whose settings find different documents. */
const gateway = createServer(async (request, response) => {
  const { search_request, search_query, search_request_template } = JSON.parse(await text(request));
  const { size, query } = search_request ?? search_request_template;
  const words = search_query ?? query.match.title;
  const documents = search_query
    ? [`${words} itself`, "about the sea", "with meaning"]
    : [`${words} itself`, "with words", "odd"];
  const hits = documents
    .slice(0, size)
    .map((title) => ({ _id: title.replaceAll(" ", "-"), _score: 1, _source: { title } }));
  response.end(JSON.stringify({ search_response: { hits: { hits } } }));
});

const listen = (server: Server) => new Promise<void>((started) => server.listen(0, "127.0.0.1", started));
const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
test.before(async () => {
  await Promise.all([listen(model), listen(gateway)]);
});
test.after(() => {
  for (const child of children) child.kill("SIGKILL");
  for (const server of [model, gateway]) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(folder, { recursive: true });
});

writeFileSync(join(folder, "queries.txt"), "salt road\nsunken bell\n");
writeFileSync(
  join(folder, "settings.yaml"),
  `index: books
settings:
  - {name: keywords, search_request: {query: {match: {title: "[search_query]"}}}}
  - {name: hybrid, template: {query: {hybrid: {queries: [{match: {title: "[search_query]"}}]}}}}
`,
);

const judging = (output: string, args: readonly string[]) => {
  const files = ["--queries", join(folder, "queries.txt"), "--output", join(folder, output)];
  return ["judgments", "from-model", ...files, ...args];
};

const all = () => ["--settings", join(folder, "settings.yaml"), "--api-host", urlOf(gateway), "--concurrency", "1"];

/** Runs the command in a process of its own: to kill it, or because it reads the variables of its process. */
function start(output: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const child = spawn(process.execPath, ["cli/main.ts", ...judging(output, args), ...all()], {
    cwd: ROOT,
    env: { ...process.env, RELEVANCE_API_KEY: "k", ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  children.add(child);
  const ended = Promise.all([text(child.stdout), text(child.stderr), new Promise((done) => child.once("close", done))]);
  return { child, ended: ended.then(([out, err, code]) => ({ out, err, code })) };
}

const run = (output: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  command(judging(output, args), env);

const command = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runHere([...args, ...all()], { RELEVANCE_API_KEY: "k", ...env });

const local = () => ["--url", `${urlOf(model)}/v1`, "--model", "small"];

test("pools all settings, tells the cost before and after, and keeps what it has when it is killed", async () => {
  const answers = join(folder, "books.answers.jsonl");
  Object.assign(judge, { calls: 0, answers: 2 });
  const killed = start("books.csv", [...local(), "--yes"], { RELEVANCE_MODEL_KEY: KEY });
  const lines = () => (existsSync(answers) ? readFileSync(answers, "utf8").split("\n").length - 1 : 0);
  await waitFor(async () => lines() === 2 && judge.calls === 3, { what: "the third call", timeoutMs: 60_000 });
  killed.child.kill("SIGKILL");
  await killed.ended;

  Object.assign(judge, { calls: 0, answers: Number.POSITIVE_INFINITY });
  const args = [...local(), "--yes", "--json", "--price", "1,10"];
  const { out, err, code } = await run("books.csv", args, { RELEVANCE_MODEL_KEY: KEY });
  assert.is(code, 0, err);
  // Five documents of each query; the one that has no grade is asked for twice.
  assert.match(err, /10 documents of 2 queries; .*books\.answers\.jsonl has answers for 2\n/);
  assert.match(err, /8 calls of small: about [\d,]+ tokens of input and 48 of output, 0\.00 dollars, and more if/);
  assert.match(err, "8 judgments of small in");
  assert.match(err, "10 calls: 2,000 tokens of input and 50 of output, 0.00 dollars");
  assert.match(err, 'Warning: 2 documents have no judgment, because two answers were no grades, such as "It depends."');
  assert.equal(
    { ...JSON.parse(out), output: "" },
    { judgments: 8, failed: 2, calls: 10, tokens: { input: 2000, output: 50 }, output: "" },
  );
  const { rows } = readJudgmentsFile(join(folder, "books.csv"));
  assert.is(rows.length, 8);
  assert.equal(rows[0], {
    query: "salt road",
    document: "salt-road-itself",
    grade: 3,
    index: "books",
    origin: "model",
  });
  for (const file of ["books.csv", "books.answers.jsonl"])
    assert.not.match(readFileSync(join(folder, file), "utf8"), KEY);
});

test("continues a file, leaves people's judgments, and refuses one of another model", async () => {
  const file = join(folder, "books.csv");
  const judged = { query: "salt road", doc: "salt-road-itself", index: "books", when: "2026-11-26" };
  new JudgmentFile(file, () => file).put({ ...judged, grade: 1, origin: "people", who: "Ada" });
  judge.calls = 0;
  const { err, code } = await run("books.csv", [...local(), "--depth", "2"], { RELEVANCE_MODEL_KEY: KEY });
  assert.is(code, 0, err);
  // All have an answer, so nothing is asked, the user neither.
  assert.is(judge.calls, 0);
  const { rows } = readJudgmentsFile(file);
  assert.is(rows.length, 9);
  assert.equal(
    rows.filter(({ document }) => document === "salt-road-itself").map(({ grade, origin }) => [grade, origin]),
    [
      [3, "model"],
      [1, "people"],
    ],
  );
  const other = await run("books.csv", [...local().slice(0, 3), "large", "--yes"]);
  assert.is(other.code, 2);
  assert.match(
    other.err,
    /books\.csv has judgments of small, rubric \w+, not of large, rubric \w+: choose another --output/,
  );
});

test("the verdict follows the people who check a judge that takes repeated words for relevant", async () => {
  const [file, queries] = [join(folder, "checked.csv"), join(folder, "many.txt")];
  writeFileSync(queries, Array.from({ length: 30 }, (_, number) => `word ${number}\n`).join(""));
  const args = ["--output", file, "--queries", queries, ...local(), "--yes"];
  const judged = await command(["judgments", "from-model", ...args], { RELEVANCE_MODEL_KEY: KEY });
  assert.is(judged.code, 0, judged.err);
  const { rows } = readJudgmentsFile(file);
  const sample = modelCheck(rows)?.order.slice(0, 24) ?? [];
  const people = new JudgmentFile(file, () => file);
  for (const { query, document } of rows.filter(({ query }) => sample.includes(query))) {
    const grade = document === "with-meaning" ? 1 + (sample.indexOf(query) % 3) : document.endsWith("itself") ? 1 : 0;
    people.put({ query, doc: document, index: "books", when: "2026-11-26", grade, origin: "people", who: "Ada" });
  }
  const { out, err, code } = await command(["evaluate", "--judgments", file, "--metrics", "ndcg@10"]);
  assert.is(code, 0, err);
  assert.match(out, /hybrid beats keywords by 0\.\d+ ndcg@10/);
  assert.match(out, "People checked 24 of the language model's 30 queries");
  assert.match(out, /By the model alone the difference in ndcg@10 would be 0\.0000 for hybrid/);
});

test("calls no model without consent, and never shows the key, also where the endpoint repeats it", async () => {
  judge.calls = 0;
  const asked = await start("new.csv", local(), { RELEVANCE_MODEL_KEY: KEY }).ended;
  assert.equal([asked.code, judge.calls], [2, 0]);
  assert.match(asked.err, "Call the model? There is no terminal to answer on: pass --yes to confirm");
  const wrong = await run("new.csv", [...local(), "--yes"], { RELEVANCE_MODEL_KEY: "sk-wrong" });
  assert.is(wrong.code, 1);
  assert.match(wrong.err, "answered 401");
  assert.match(wrong.err, "Put its key into RELEVANCE_MODEL_KEY");
  assert.not.match(wrong.err, "sk-wrong");
});

test("asks without a temperature where the model refuses one", async () => {
  Object.assign(judge, { calls: 0, refusesTemperature: true });
  const { err, code } = await run("cold.csv", [...local(), "--depth", "1", "--yes"], { RELEVANCE_MODEL_KEY: KEY });
  assert.is(code, 0, err);
  assert.is(judge.calls, 2);
});

test("asks a model of Bedrock by Converse", async () => {
  const { err, code } = await start(
    "bedrock.csv",
    ["--model", "eu.test-v1:0", "--depth", "1", "--yes", "--conf", "conf.local"],
    {
      AWS_ENDPOINT_URL_BEDROCK_RUNTIME: urlOf(model),
      AWS_ACCESS_KEY_ID: "a",
      AWS_SECRET_ACCESS_KEY: "b",
    },
  ).ended;
  assert.is(code, 0, err);
  assert.match(err, "2 judgments of eu.test-v1:0 in");
  assert.match(err, "2 calls: 200 tokens of input and 8 of output");
});

test.run();

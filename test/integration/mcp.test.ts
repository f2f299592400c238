import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import * as fc from "fast-check";
import * as assert from "uvu/assert";
import type { KeyRules } from "../../lib/platform/http/access.ts";
import type { ProxyHandler } from "../../lib/platform/http/event.ts";
import { createModelStandIns } from "../../packages/local-models/stand-ins.ts";
import { type Attempt, loadGatewayWithKeys, send } from "../fixtures/access-attempt.ts";
import { API_KEY, startGateway, type TestGateway } from "../fixtures/gateway.ts";
import { createIndexes, keysOf, messagesOf, problemOf, TEMPLATES } from "../fixtures/mcp-attempts.ts";
import { isAnswered } from "../fixtures/mcp-messages.ts";
import {
  createPlacements,
  loadRecommendationWithKeys,
  PLACEMENT_KEYS,
  placementMessages,
  placementProblem,
} from "../fixtures/mcp-placement-attempts.ts";
import { clusters } from "../fixtures/opensearch.ts";
import { startWorld } from "../functions/recommendation-api/world.ts";
import { suite } from "../suite.ts";

const test = suite("tools for agents");

/** Generated calls. */
const RUNS = 300;
const SEED = 20_261_126;

const [cluster] = await clusters();
if (!cluster) throw new Error("there is no cluster to test against");
const models = await createModelStandIns({ modelOfEndpoint: () => "dense_large_en_v1_5" });
const world = await startWorld({ standIns: [models] });
const indexes = await createIndexes(cluster);
const [several] = keysOf(indexes) as [KeyRules];
const gateway: TestGateway = await startGateway({
  node: cluster.url,
  key: several,
  settings: { templates: TEMPLATES },
});
const agentKey: KeyRules = { name: "agent", endpoints: ["recommend"], placements: ["home"] };

const inside = await createPlacements(world);

test.after(async () => {
  await gateway.stop();
  await world.stop();
  await indexes.remove();
});

/** Connects the official client to an API. */
async function connected(url: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const requestInit = { headers: { "x-api-key": API_KEY } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }) as never);
  return client;
}

interface Answer {
  [fact: string]: unknown;
  hits: { id: string; document: { text: string } }[];
  items: { ITEM_ID: string }[];
  next_cursor?: string;
}

const textOf = ({ content }: Awaited<ReturnType<Client["callTool"]>>): string =>
  (content as [{ text: string }])[0].text;
const read = (result: Awaited<ReturnType<Client["callTool"]>>): Answer => JSON.parse(textOf(result));

test("lists a tool for each template of the key, with its declared parameters", async () => {
  const client = await connected(gateway.url);
  const { tools } = await client.listTools();
  assert.equal(
    tools.map(({ name }) => name),
    ["search_page", "search_pages", "search_words"],
  );
  const [page, pages] = tools;
  assert.is(page?.description, "Finds texts by their words.");
  assert.equal(page?.inputSchema.required, ["query", "index"]);
  assert.equal((page?.inputSchema.properties as Record<string, unknown> | undefined)?.params, {
    type: "object",
    properties: {
      size: { type: "number", minimum: 1, maximum: 20, description: "How many texts.", default: 5 },
      who: { type: "array", items: { type: "string", maxLength: 20 }, maxItems: 3 },
    },
    required: [],
    additionalProperties: false,
  });
  assert.equal(Object.keys(pages?.inputSchema.properties ?? {}), ["index", "cursor"]);
  await client.close();
});

test("lists them to the guide's command", async () => {
  const guide = readFileSync("docs/guides/agents.md", "utf8");
  const [, command = ""] = /^```sh\n(curl [\s\S]*?)\n```$/m.exec(guide) ?? [];
  const env = { ...process.env, URL: gateway.url, KEY: API_KEY };
  const { stdout } = await promisify(execFile)("sh", ["-c", command.replace("curl ", "curl -sS --fail ")], { env });
  assert.equal(
    JSON.parse(stdout).result.tools.map(({ name }: { name: string }) => name),
    ["search_page", "search_pages", "search_words"],
  );
});

test("finds what the template finds, and logs the search", async () => {
  const client = await connected(gateway.url);
  const result = await client.callTool({
    name: "search_page",
    arguments: { index: indexes.names.one, query: "words", params: { who: ["ada"], size: 1 } },
  });
  const { hits, total, query_id } = read(result);
  assert.equal([total, hits.length, Object.keys(hits[0]?.document ?? {})], [2, 1, ["text"]]);
  const line = gateway.log.map((text) => JSON.parse(text)).find((one) => one.query_id === query_id);
  assert.equal([line?.user_query, line?.query_attributes.key], ["words", "given"]);
  await client.close();
});

test("shows all hits by the cursor, of a template with pages and of one without", async () => {
  const client = await connected(gateway.url);
  for (const [name, own] of [
    ["search_pages", {}],
    ["search_words", { query: "words" }],
  ] as const) {
    const ids: string[] = [];
    for (let cursor: string | undefined, calls = 0; calls === 0 || (cursor !== undefined && calls < 10); calls += 1) {
      const given = { index: indexes.names.one, ...own, ...(cursor !== undefined && { cursor }) };
      const { hits, next_cursor } = read(await client.callTool({ name, arguments: given }));
      ids.push(...hits.map(({ id }) => id));
      cursor = next_cursor;
    }
    assert.equal(ids.toSorted(), ["1", "2", "3", "4", "5"], name);
  }
  await client.close();
});

test("tells an agent what is wrong with its arguments", async () => {
  const client = await connected(gateway.url);
  const { one, secret } = indexes.names;
  for (const [given, problem] of [
    [{ query: "words" }, "Arguments are missing: index."],
    [{ query: "words", index: one, body: {} }, 'There is no argument "body": use query, index, params, cursor.'],
    [{ query: 1, index: one }, 'The argument "query" must be text.'],
    [
      { query: "words", index: one, params: { size: 99 } },
      "invalid_request: The request is not valid: params.size must be at most 20.",
    ],
    [{ query: "words", index: secret }, 'forbidden: The rule "index" refuses'],
  ] as const) {
    const result = await client.callTool({ name: "search_page", arguments: given });
    assert.is(result.isError, true);
    assert.ok(textOf(result).includes(problem), textOf(result));
    assert.is(textOf(result).split("\n").length, 1, "a sentence is said once");
  }
  const unknown = await client
    .callTool({ name: "search_inside", arguments: {} })
    .catch((error: Error) => error.message);
  assert.match(String(unknown), /There is no tool "search_inside"/);
  await client.close();
});

test("answers other methods of HTTP with 405, and notifications with 202", async () => {
  for (const method of ["GET", "DELETE"]) {
    const { status, headers } = await gateway.send(method, "/mcp");
    assert.equal([status, headers.get("allow")], [405, "POST"]);
  }
  const said = await gateway.post("/mcp", { jsonrpc: "2.0", method: "notifications/initialized" });
  assert.equal([said.status, said.text], [202, ""]);
  const older = await gateway.post(
    "/mcp",
    { jsonrpc: "2.0", id: 1, method: "ping" },
    { "mcp-protocol-version": "2020" },
  );
  assert.is(older.status, 400);
});

test("joins the tools of both APIs on standard input and output", async () => {
  const client = new Client({ name: "test", version: "1" });
  const args = ["cli/main.ts", "mcp", "--url", gateway.url, "--recommendation-url", world.url];
  const env = { RELEVANCE_API_KEY: API_KEY };
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env }) as never);
  const { tools } = await client.listTools();
  assert.equal(tools.map(({ name }) => name).slice(-2), ["recommend_home", "recommend_inside"]);
  const home = await client.callTool({ name: "recommend_home", arguments: { exclude_item_ids: ["B2"] } });
  assert.equal(
    read(home).items.map(({ ITEM_ID }) => ITEM_ID),
    ["B1", "B3"],
  );
  const page = await client.callTool({ name: "search_page", arguments: { index: indexes.names.one, query: "words" } });
  assert.is(read(page).hits.length, 5);
  const unknown = await client.callTool({ name: "other", arguments: {} }).catch((error: Error) => error.message);
  assert.match(String(unknown), /There is no tool "other"/);
  await client.close();
});

test("shows a key with placements these alone", async () => {
  const limited = await loadRecommendationWithKeys(world, [agentKey]);
  const call = (method: string, params: object) =>
    send(limited, {
      key: "agent",
      method: "POST",
      path: "/mcp",
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
  const { tools } = JSON.parse((await call("tools/list", {})).text).result;
  assert.equal(
    tools.map(({ name, description }: Record<string, unknown>) => [name, description]),
    [["recommend_home", "What the home page shows."]],
  );
  assert.match((await call("tools/call", { name: "recommend_inside", arguments: {} })).text, /There is no tool/);
  const home = await call("tools/call", { name: "recommend_home", arguments: { cursor: "1" } });
  assert.equal(
    JSON.parse(JSON.parse(home.text).result.content[0].text).items.map(({ ITEM_ID }: Answer["items"][0]) => ITEM_ID),
    ["B2", "B3"],
  );
});

/** Plays generated messages. Fails with the first whose answer has a problem. */
async function play(
  handler: ProxyHandler,
  messages: fc.Arbitrary<Attempt>,
  problemIn: (attempt: Attempt, answer: Awaited<ReturnType<typeof send>>) => string | undefined,
) {
  let answered = 0;
  for (const attempt of fc.sample(messages, { numRuns: RUNS, seed: SEED })) {
    const answer = await send(handler, attempt);
    assert.is(problemIn(attempt, answer), undefined, `${JSON.stringify(attempt)} ${answer.text.slice(0, 500)}`);
    if (isAnswered(answer.text)) answered += 1;
  }
  // Attempts that all fail would prove nothing.
  assert.ok(answered > RUNS / 10, `only ${answered} of ${RUNS} found something`);
}

test("finds no way round the scope of a key of the gateway", async () => {
  const handler = await loadGatewayWithKeys(cluster, keysOf(indexes), { templates: TEMPLATES });
  await play(handler, messagesOf(indexes), (attempt, answer) => problemOf(indexes, attempt, answer));
});

test("finds no way round the scope of a key of the recommendation service", async () => {
  const handler = await loadRecommendationWithKeys(world, PLACEMENT_KEYS);
  await play(handler, placementMessages(), (attempt, answer) => placementProblem(inside, attempt, answer));
});

test.run();

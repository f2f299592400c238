import * as assert from "uvu/assert";
import { mcpHandler } from "../../../../lib/platform/mcp/handler.ts";
import type { ToolDescription } from "../../../../lib/platform/mcp/tool.ts";
import { namesThereAre } from "../../../../lib/settings/nearest.ts";
import { suite } from "../../../suite.ts";
import { api, call } from "../http/calls.ts";

const test = suite("messages to servers of tools");

const inputSchema: ToolDescription["inputSchema"] = {
  ...{ type: "object", properties: {}, required: [], additionalProperties: false },
};
const tools = ["search_books", "search_films"].map((name) => ({ name, description: name, inputSchema }));
const handler = mcpHandler({
  ...{ api, name: "test", instructions: "", routes: [], load: async () => ({}) },
  toolsOf: async () => tools as never,
  namesThereAre,
});

async function answered(body: string, version?: string) {
  const headers = { "content-type": "application/json", ...(version && { "mcp-protocol-version": version }) };
  const { statusCode, body: text } = await call(handler, { headers, body });
  return [statusCode, text] as const;
}

const ping = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
const pong = (id: string) => `{"jsonrpc":"2.0","id":${id},"result":{}}`;
const NOTICE = '{"jsonrpc":"2.0","method":"notifications/initialized"}';

for (const [what, body, answer, version] of [
  ["keeps an id beyond 2^53", ping("9007199254740993"), [200, pong("9007199254740993")]],
  [
    "answers a batch in order, without its notifications",
    `[${ping("1")}, ${NOTICE}, ${ping('"b"')}]`,
    [200, `[${pong("1")},${pong('"b"')}]`],
  ],
  ["keeps each id of a batch", `[${ping("9007199254740995")}]`, [200, `[${pong("9007199254740995")}]`], "2025-03-26"],
  ["has nothing to say to notifications alone", `[${NOTICE}]`, [202, ""], "2025-03-26"],
] as const) {
  test(what, async () => assert.equal(await answered(body, version), answer));
}

test("refuses an empty batch, a long one, and any in versions without them", async () => {
  for (const [body, version] of [
    ["[]", "2025-03-26"],
    [`[${Array(21).fill(ping("1")).join()}]`, "2025-03-26"],
    [`[${ping("1")}]`, "2025-06-18"],
  ] as const) {
    assert.is((await answered(body, version))[0], 400, body.slice(0, 80));
  }
});

test("names the tool that an unknown name probably means, and those that the caller has", async () => {
  const calling = (name: string) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}"}}`;
  const said = async (name: string) => JSON.parse((await answered(calling(name)))[1]).error.message;
  const all = "here are search_books, search_films.";
  assert.is(await said("search_boks"), `There is no tool "search_boks": did you mean "search_books"? T${all}`);
  assert.is(await said("x"), `There is no tool "x": t${all}`);
});

test.run();

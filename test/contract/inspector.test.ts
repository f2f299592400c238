// The protocol's own inspector reads and calls the tools of both APIs: over HTTP, and those that `relevance mcp` joins.
import { join } from "node:path";
import * as assert from "uvu/assert";
import { ROOT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";
import { startServices } from "./services.ts";
import { NODE_MODULES, resultOf } from "./tools.ts";

const test = suite("inspector");

const services = await startServices();
test.after(() => services.stop());

const { GATEWAY_URL, RECOMMENDATION_URL, API_KEY, INDEX } = services.env;
const PROGRAM = join(NODE_MODULES, "@modelcontextprotocol/inspector/clients/launcher/build/index.js");

const overHttp = (url: string) => [
  ...["--transport", "http", "--server-url", `${url}/mcp`, "--header", `x-api-key: ${API_KEY}`],
];
const urls = ["--url", GATEWAY_URL, "--recommendation-url", RECOMMENDATION_URL];
const joined = [
  "-e",
  `RELEVANCE_API_KEY=${API_KEY}`,
  "--",
  process.execPath,
  join(ROOT, "cli/main.ts"),
  "mcp",
  ...urls,
];

/** Not the template whose parameters are not declared. */
const SEARCHES = ["search_by_title", "search_shop_page"];
const FIND = ["search_by_title", "query=salt", `index=${INDEX}`];
const RECOMMEND = ["recommend_home", "user_id=U1"];

/** How the inspector reaches a server, the tools that it lists, and calls with what their answers contain. */
const SERVERS = {
  "the gateway": { server: overHttp(GATEWAY_URL), tools: SEARCHES, calls: [[FIND, "The Salt Road"]] },
  "the recommendation service": {
    server: overHttp(RECOMMENDATION_URL),
    tools: ["recommend_home"],
    calls: [[RECOMMEND, "The Salt Road"]],
  },
  "relevance mcp": {
    server: joined,
    tools: [...SEARCHES, "recommend_home"],
    calls: [
      [FIND, "The Salt Road"],
      [RECOMMEND, "The Salt Road"],
    ],
  },
} as const;

/** Runs the inspector, whose options precede a program's. */
const inspect = async (server: readonly string[], ...options: string[]) =>
  JSON.parse(await resultOf(process.execPath, [PROGRAM, "--cli", ...options, ...server]));

for (const [name, { server, tools, calls }] of Object.entries(SERVERS)) {
  test(`${name}: lists tools that clients of all kinds can read, and calls them`, async () => {
    // `--strict` fails for schemas that some client does not understand.
    const listed = await inspect(server, "--method", "tools/list", "--strict");
    assert.equal(
      listed.tools.map((tool: { name: string }) => tool.name),
      tools,
    );
    for (const [[tool = "", ...given], found] of calls) {
      const answer = await inspect(server, "--method", "tools/call", "--tool-name", tool, "--tool-arg", ...given);
      assert.is(answer.isError ?? false, false);
      assert.match(answer.content[0].text, found);
    }
  });
}

test.run();

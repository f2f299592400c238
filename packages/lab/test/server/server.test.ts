import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { scratchFolder } from "@relevance/processes/scratch.ts";
import * as assert from "uvu/assert";
import { TEST_OUTPUT } from "../../../../test/fixtures/env.ts";
import { suite } from "../../../../test/suite.ts";
import { judgmentFiles } from "../../server/judgment-files.ts";
import type { Served } from "../../server/loopback.ts";
import { startConsole } from "../../server/server.ts";
import { judgingTasks } from "../../server/tasks.ts";

const test = suite("the console's server");

const KEY = "the-secret-key";
const received: { call: string; key: unknown }[] = [];
const gateway = createServer((incoming, response) => {
  received.push({ call: `${incoming.method} ${incoming.url}`, key: incoming.headers["x-api-key"] });
  response.writeHead(incoming.url === "/application/search" ? 200 : 302, {
    "content-type": "application/json",
    "server-timing": "cluster;dur=8",
    "set-cookie": "a=b",
    location: "/elsewhere",
  });
  response.end("{}");
});
let console: Served;
test.before(async () => {
  await new Promise<void>((resolve) => gateway.listen(0, "127.0.0.1", resolve));
  const { port } = gateway.address() as AddressInfo;
  const none = (): never => {
    throw new Error("no test starts a run");
  };
  console = await startConsole({
    page: new Map([["/", { type: "text/html", body: "<p>page</p>" }]]),
    templates: [],
    setup: { indexes: [], filters: [], standIns: [], local: false, example: null },
    gateway: { name: "search gateway", url: `http://127.0.0.1:${port}`, key: KEY },
    judgments: judgmentFiles(join(scratchFolder(TEST_OUTPUT, "console-server"), "judgments"), "ada"),
    tasks: judgingTasks(join(scratchFolder(TEST_OUTPUT, "console-server"), "tasks")),
    reports: {
      ...{ customers: none, experiment: none, clicks: none, take: none },
      recommendations: none,
      searches: async ({ days }) => ({ queries: [], of: days }),
    },
    runs: { list: () => [], overTime: none, read: none, start: none, progress: none, cancel: none },
  });
});
test.after(async () => {
  await console.stop();
  gateway.close();
  gateway.closeAllConnections();
});

interface Answer {
  status: number;
  headers: Record<string, unknown>;
  body: string;
}

/** Unlike fetch, this may send any Host. */
function call(method: string, path: string, headers: Record<string, string> = {}, body = ""): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(`${console.url}${path}`, { method, headers }, async (response) => {
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: await text(response) });
    });
    sent.on("error", reject);
    sent.end(method === "POST" ? body : undefined);
  });
}

const OWN = { "x-relevance-console": "1" };
const search = (headers: Record<string, string>) => call("POST", "/proxy/gateway/application/search", headers, "{}");

test("forwards a search with the key, which no answer contains", async () => {
  received.length = 0;
  const passed = await search({ ...OWN, origin: console.url, "sec-fetch-site": "same-origin" });
  assert.is(passed.status, 200);
  assert.equal(received, [{ call: "POST /application/search", key: KEY }]);
  assert.is(passed.headers["server-timing"], "cluster;dur=8");
  assert.is(passed.headers["set-cookie"], undefined);
  const setup = await call("GET", "/api/setup", OWN);
  assert.not.match(JSON.stringify([passed, setup, await call("GET", "/")]), KEY);
});

test("reads the searches of a number of days, and takes nothing else that the page does not send", async () => {
  const read = async (query: string) => {
    const { status, body } = await call("GET", `/api/queries?${query}`, OWN);
    return [status, JSON.parse(body)] as const;
  };
  assert.equal(await read("days=7&index=books"), [200, { queries: [], of: 7 }]);
  for (const wrong of ["", "days=0", "days=7&files=x"]) assert.is((await read(wrong))[0], 400, wrong);
});

test("serves nothing under another host name, which another site may have pointed at it", async () => {
  const port = new URL(console.url).port;
  for (const host of [`evil.example:${port}`, "evil.example", "127.0.0.1", `127.0.0.1.evil.example:${port}`]) {
    assert.is((await call("GET", "/", { host })).status, 403, host);
    assert.is((await search({ ...OWN, host })).status, 403, host);
  }
  assert.is((await call("GET", "/", { host: `localhost:${port}` })).status, 200);
});

test("listens on one loopback address alone", async () => {
  assert.match(console.url, /^http:\/\/127\.0\.0\.1:\d+$/);
  // A server on all addresses would answer here.
  const other = new URL(console.url);
  other.hostname = "127.0.0.2";
  const code = await fetch(other, { headers: { host: new URL(console.url).host } }).then(
    () => "answered",
    (error: Error) => (error.cause as NodeJS.ErrnoException).code,
  );
  assert.is.not(code, "answered");
});

test("makes no call to any endpoint for another site's page", async () => {
  received.length = 0;
  const foreign = [
    {},
    { "x-relevance-console": "0" },
    { ...OWN, origin: "https://evil.example" },
    { ...OWN, origin: "null" },
    { ...OWN, "sec-fetch-site": "cross-site" },
    { ...OWN, "sec-fetch-site": "same-site" },
  ];
  const calls = [
    ["POST", "/proxy/gateway/application/search"],
    ["POST", "/api/judgments/rows?name=a"],
    ["POST", "/api/runs"],
    ["POST", "/api/defaults/write"],
    ["GET", "/api/setup"],
    ["OPTIONS", "/api/setup"],
  ] as const;
  for (const headers of foreign) {
    for (const [method, path] of calls) {
      const { status, headers: answered } = await call(method, path, headers as Record<string, string>, "{}");
      assert.is(status, 403, `${method} ${path} ${JSON.stringify(headers)}`);
      assert.is(answered["access-control-allow-origin"], undefined);
    }
  }
  assert.equal(received, []);
});

test("forwards only the calls that the page makes, and no path that resolves to another", async () => {
  received.length = 0;
  const calls = [
    ["DELETE", "/proxy/gateway/raw-backend/books"],
    ["PUT", "/proxy/gateway/raw-backend/books/_mapping"],
    ["GET", "/proxy/gateway/raw-backend/_cat/indices"],
    ["GET", "/proxy/gateway/raw-backend/books/_settings"],
    ["GET", "/proxy/gateway/raw-backend/..%2f_search"],
    ["POST", "/proxy/gateway/application/bulk"],
    ["POST", "/proxy/gateway/application/search/../bulk"],
  ] as const;
  for (const [method, path] of calls) assert.is((await call(method, path, OWN)).status, 403, `${method} ${path}`);
  assert.is((await call("POST", "/proxy/recommendation/log-event", OWN)).status, 404);
  assert.equal(received, []);
});

test("follows no redirect, which would forward the key", async () => {
  received.length = 0;
  const { status, headers } = await call("POST", "/proxy/gateway/application/hybrid-search", OWN, "{}");
  assert.is(status, 302);
  assert.is(headers.location, undefined);
  assert.is(received.length, 1);
});

test("lets the page load from and call only this server, and lets no page frame it", async () => {
  const { headers } = await call("GET", "/");
  const policy = String(headers["content-security-policy"]);
  for (const rule of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"]) {
    assert.ok(policy.split("; ").includes(rule), rule);
  }
  assert.not.match(policy, "unsafe");
  assert.is(headers["x-content-type-options"], "nosniff");
});

test("reports invalid requests and endpoints that it does not offer", async () => {
  const wrong = await call("POST", "/api/judgments/rows?name=a", OWN, '{"query": "q", "doc": "d", "grade": 9}');
  assert.is(wrong.status, 400);
  assert.match(wrong.body, "grade");
  assert.is((await call("POST", "/api/judgments/rows?name=a", OWN, "{")).status, 400);
  assert.is((await call("GET", "/api/judgments/rows?name=../a", OWN)).status, 400);
  assert.is((await call("POST", "/api/defaults/write", OWN, "{}")).status, 404);
  assert.is((await call("GET", "/api/status", OWN)).status, 404);
});

test.run();

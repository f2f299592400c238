import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { startConsoleGateway } from "../fixtures/console-gateway.ts";
import { ROOT, TEST_OUTPUT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";
import { relevance } from "./run-cli.ts";

const test = suite("relevance console");

const KEY = "the-secret-key";
const files = scratchFolder(TEST_OUTPUT, "console-cli");
let gateway: Awaited<ReturnType<typeof startConsoleGateway>>;
let child: ChildProcess | undefined;
test.before(async () => {
  gateway = await startConsoleGateway();
});
test.after(async () => {
  child?.kill("SIGKILL");
  await gateway.stop();
});

const OWN = { "x-relevance-console": "1", "content-type": "application/json" };

test("serves the page on loopback, sends the key from the variable, and ends on Ctrl-C", async () => {
  const args = ["console", "--url", gateway.url, "--key-env", "SEARCH_KEY", "--files", files, "--conf", "conf.local"];
  child = spawn(process.execPath, [join(ROOT, "cli/main.ts"), ...args], {
    cwd: ROOT,
    env: { ...process.env, SEARCH_KEY: KEY },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += chunk));
  const url = await waitFor(async () => /http:\/\/127\.0\.0\.1:\d+$/m.exec(output)?.[0], {
    what: "the console's address",
    timeoutMs: 60_000,
    context: () => output,
  });
  const page = await (await fetch(url)).text();
  assert.match(page, "<title>Relevance console</title>");
  const setup = await (await fetch(`${url}/api/setup`, { headers: OWN })).text();
  const { indexes, filters, can } = JSON.parse(setup);
  assert.equal([indexes[0].index, filters[0].name, can.write], ["books", "category", true]);
  const body = '{"index": "books", "search_request": {}}';
  const found = await fetch(`${url}/proxy/gateway/application/search`, { method: "POST", headers: OWN, body });
  assert.is(found.status, 200);
  assert.is(gateway.received.at(-1)?.key, KEY);
  assert.not.match([output, page, setup].join(), KEY);
  const ended = once(child, "close");
  child.kill("SIGINT");
  assert.equal(await ended, [0, null]);
});

test("says which variable has no key", () => {
  const { code, err } = relevance(["console", "--url", "http://127.0.0.1:9", "--key-env", "NO_SUCH_KEY"]);
  assert.is(code, 2);
  assert.match(err, "There is no API key in the environment variable NO_SUCH_KEY");
});

test.run();

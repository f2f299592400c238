import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { anyDeployed } from "../../account/deployed.ts";
import { isRunning } from "../../account/place.ts";

const test = suite("the place of the local account");

const folder = mkdtempSync(join(tmpdir(), "local-account-"));
test.after(() => rmSync(folder, { recursive: true }));

const account = (endpoint: string) => ({
  pid: 1,
  id: "ours",
  endpoint,
  apis: "",
  opensearch: { url: "", version: "" },
});

/** Serves one answer; `undefined` breaks the connection. */
async function serving(answer: string | undefined, work: (endpoint: string) => Promise<void>): Promise<void> {
  const server = createServer((request, response) => (answer === undefined ? request.destroy() : response.end(answer)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  server.close();
}

test("an account runs if its own id is answered, and not if another program has its address", async () => {
  await serving('{"id":"ours"}', async (endpoint) => assert.ok(await isRunning(account(endpoint))));
  await serving("<html>", async (endpoint) => assert.not(await isRunning(account(endpoint))));
});

test("an account is gone only if nothing listens: a broken connection discards nothing", async () => {
  let last = "";
  await serving(undefined, async (endpoint) => {
    last = endpoint;
    const message = await isRunning(account(endpoint)).then(String, (error: Error) => error.message);
    assert.match(message, "the local account (process 1, http://127.0.0.1:");
  });
  assert.not(await isRunning(account(last)));
});

test("the account is needed while a service of any project has resources", () => {
  const write = (file: string, resources: object[]) => {
    mkdirSync(join(folder, file, ".."), { recursive: true });
    writeFileSync(join(folder, file), JSON.stringify({ resources }));
  };
  assert.not(anyDeployed(folder));
  write("shop/123456789012-eu-west-1/storage.tfstate", [{ mode: "managed" }]);
  write("shop/123456789012-eu-west-1/search-gateway.tfstate", [{ mode: "data" }]);
  assert.not(anyDeployed(folder));
  write("blog/123456789012-us-east-1/filters.tfstate", [{ mode: "managed" }]);
  assert.ok(anyDeployed(folder));
});

test.run();

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startServer } from "@relevance/local-models/test/serve.ts";
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

test("an account runs if its own id is answered, and not if another program has its address", async () => {
  for (const [body, runs] of [
    ['{"id":"ours"}', true],
    ["<html>", false],
  ] as const) {
    const { url, close } = await startServer(() => ({ body }));
    assert.is(await isRunning(account(url)), runs);
    await close();
  }
});

test("an account is gone only if nothing listens: a broken connection discards nothing", async () => {
  const { url, close } = await startServer(() => ({ drop: true }));
  const message = await isRunning(account(url)).then(String, (error: Error) => error.message);
  assert.match(message, "the local account (process 1, http://127.0.0.1:");
  await close();
  assert.not(await isRunning(account(url)));
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

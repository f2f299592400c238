// Commands that need an API key refuse before they call AWS if api.yaml authorizes callers in another way.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { command as rotateKey } from "../../cli/commands/rotate-key.ts";
import { ADMINISTRATION, openGateway } from "../../cli/gateway/gateway.ts";
import { createTerminal } from "../../cli/terminal.ts";
import { UsageError } from "../../lib/platform/failure.ts";
import { configurationFiles } from "../fixtures/configurations/configurations.ts";
import { suite } from "../suite.ts";

const test = suite("commands without API keys");

const conf = mkdtempSync(join(tmpdir(), "iam-"));
test.before(() => {
  const files = configurationFiles("minimal", [["api.yaml", ["authorization"], "iam"]]);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(conf, name), text);
});
test.after(() => rmSync(conf, { recursive: true }));

const silent = { write: () => assert.unreachable("prints nothing") };
const context = { terminal: createTerminal(silent, silent, true), env: {} };
const refusalOf = async (work: Promise<unknown>): Promise<string> => {
  const error = await work.catch((thrown: unknown) => thrown);
  assert.instance(error, UsageError);
  return (error as UsageError).message;
};

test("rotate-key says that there is no key to replace", async () => {
  const options = { conf, service: "search-gateway", name: "default", finish: false, yes: false, printKeys: true };
  const message = await refusalOf(Promise.resolve().then(() => rotateKey.run(options, context)));
  assert.is(message, "There are no API keys to replace: authorization is iam in api.yaml");
});

test("a command that calls the gateway says that there is no key", async () => {
  assert.match(
    await refusalOf(openGateway({ conf, local: false }, context, ADMINISTRATION)),
    "there is none: authorization is iam in api.yaml",
  );
});

test.run();

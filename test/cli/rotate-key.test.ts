import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { command } from "../../cli/commands/rotate-key.ts";
import { NotAgreed } from "../../cli/confirm.ts";
import { createTerminal } from "../../cli/terminal.ts";
import { Failure, UsageError } from "../../lib/platform/failure.ts";
import { configurationFiles } from "../fixtures/configurations/configurations.ts";
import { serveStandIns } from "../fixtures/stand-in-server.ts";
import { suite } from "../suite.ts";

const test = suite("rotate-key that is not carried out");

const conf = mkdtempSync(join(tmpdir(), "rotate-"));
for (const [name, text] of Object.entries(configurationFiles("minimal"))) writeFileSync(join(conf, name), text);
const TERRAFORM_BINARY = join(conf, "terraform");
writeFileSync(TERRAFORM_BINARY, "#!/bin/sh\necho 'Terraform v1.11.4'\n", { mode: 0o755 });

const IDENTITY =
  "<GetCallerIdentityResponse><GetCallerIdentityResult><Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>";
/** The numbers that the parameter has had. */
const numbers = ["1"];
const server = await serveStandIns([
  { services: ["sts"], handle: async () => ({ status: 200, headers: { "content-type": "text/xml" }, body: IDENTITY }) },
  {
    services: ["apigateway"],
    async handle({ path }) {
      const item = path === "/restapis" ? [{ id: "a1", name: "minimal-search-gateway" }] : [];
      return { status: 200, body: JSON.stringify({ item }) };
    },
  },
  {
    services: ["ssm"],
    async handle({ headers, body }) {
      const [Name, Value] = ["n", numbers.at(-1)];
      if (headers["x-amz-target"]?.endsWith("GetParameter"))
        return { status: 200, body: JSON.stringify({ Parameter: { Name, Value } }) };
      numbers.push(JSON.parse(String(body)).Value);
      return { status: 200, body: "{}" };
    },
  },
]);
const env = { AWS_ENDPOINT_URL: server.url, AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test" };
Object.assign(process.env, env);
test.after(async () => {
  await server.stop();
  rmSync(conf, { recursive: true });
});

/** Runs the command, whose deployment ends with this error where it begins. Returns the numbers that it wrote. */
async function rotated(error: Error) {
  numbers.splice(0, numbers.length, "1");
  const terminal = createTerminal({ write: () => {} }, { write: () => {} }, true);
  terminal.note = (line) => {
    if (line.startsWith("Reading the account")) throw error;
  };
  const options = { conf, service: "search-gateway", name: "default", finish: false, yes: false, printKeys: true };
  const run = async () => command.run(options, { terminal, env: { ...env, TERRAFORM_BINARY } });
  assert.is(await run().catch((thrown: unknown) => thrown), error);
  return numbers.slice(1);
}

test("has written the old numbers back when it ends, if the user declines", async () => {
  for (const declined of [new NotAgreed("Nothing was changed."), new UsageError("no terminal")])
    assert.equal(await rotated(declined), ["1,2", "1"]);
});

test("keeps the new numbers after a failure, so that deploy can resume", async () => {
  assert.equal(await rotated(new Failure("no capacity")), ["1,2"]);
});

test.run();

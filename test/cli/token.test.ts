import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { stringify } from "yaml";
import { ensureTokenSecret } from "../../cli/apply/token-secrets.ts";
import { createTokens } from "../../lib/platform/http/tokens.ts";
import { configurationFiles } from "../fixtures/configurations/configurations.ts";
import { serveStandIns } from "../fixtures/stand-in-server.ts";
import { suite } from "../suite.ts";
import { runHere } from "./run-here.ts";

const test = suite("relevance token");

const conf = mkdtempSync(join(tmpdir(), "token-"));
for (const [name, text] of Object.entries(configurationFiles("minimal"))) writeFileSync(join(conf, name), text);
const keys = [{ name: "app", endpoints: ["search"], indexes: ["products"], tokens: { max_age: 600 } }];
writeFileSync(join(conf, "api.yaml"), `${configurationFiles("minimal")["api.yaml"]}\n${stringify({ keys })}`);

const IDENTITY =
  "<GetCallerIdentityResponse><GetCallerIdentityResult><Account>123456789012</Account></GetCallerIdentityResult></GetCallerIdentityResponse>";
let stored: string | undefined;
const server = await serveStandIns([
  { services: ["sts"], handle: async () => ({ status: 200, headers: { "content-type": "text/xml" }, body: IDENTITY }) },
  {
    services: ["secretsmanager"],
    async handle({ headers, body }) {
      if (headers["x-amz-target"]?.endsWith("PutSecretValue")) stored = JSON.parse(String(body)).SecretString;
      if (stored !== undefined) return { status: 200, body: JSON.stringify({ SecretString: stored }) };
      return { status: 400, body: JSON.stringify({ __type: "ResourceNotFoundException", message: "no value" }) };
    },
  },
]);
const env = { AWS_ENDPOINT_URL: server.url, AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test" };
Object.assign(process.env, env);
test.after(async () => {
  await server.stop();
  rmSync(conf, { recursive: true });
});

const run = async (...args: string[]) => {
  const { code, out, err } = await runHere(["token", "--conf", conf, "--key", "app", ...args], env);
  return { code, text: code === 0 ? out.trim() : err };
};
const made = async () =>
  (await run("--claim", '{"filter":{"tenant":"a"}}', "--subject", "anna", "--minutes", "5")).text;
const explained = async (token: string) => JSON.parse((await run("--explain", token)).text);

test("makes, explains and rotates tokens with the secret that deploy made", async () => {
  assert.match((await run()).text, /has no signing secret.*relevance deploy/);
  const names = { tokenSecret: (key: string) => `/relevance/minimal/tokens/${key}` };
  const account = { sdk: { region: "eu-west-1", ...env } as never, names };
  assert.equal([await ensureTokenSecret(account, "app"), await ensureTokenSecret(account, "app")], [true, false]);
  const first = await made();
  const { claims, rights } = await explained(first);
  assert.equal([claims.aud, claims.sub, rights.indexes], ["app", "anna", ["products"]]);
  assert.equal(rights.token.filters, [{ term: { tenant: "a" } }]);
  assert.match((await explained((await run("--minutes", "11")).text)).refused.message, /more than 600 seconds/);
  assert.is((await run("--rotate")).code, 0);
  const second = await made();
  assert.ok((await explained(first)).rights, "both secrets are valid");
  assert.is((await run("--finish")).code, 0);
  assert.is((await explained(first)).refused.status, 401);
  assert.ok((await explained(second)).rights);
  assert.match((await run("--claim", "[]")).text, /must be a JSON object/);
});

test("the Python client signs the same tokens", async () => {
  const load =
    "import importlib.util as u, sys; s = u.spec_from_file_location('t', sys.argv[1]); t = u.module_from_spec(s); s.loader.exec_module(t)\n";
  const call = "print(t.sign_token(sys.argv[2], {'filter': {'tenant': 'ä'}}, subject='anna', expires_in=60))";
  const file = "packages/clients/python/src/relevance_client/token.py";
  const token = execFileSync("python3", ["-c", load + call, file, stored ?? ""], { encoding: "utf8" }).trim();
  const key = {
    name: "app",
    endpoints: ["search" as const],
    tokens: { required: true, max_age: 60, secret_name: "s" },
  };
  const rules = await createTokens({ readSecret: async () => stored ?? "" })(key, token);
  assert.equal([rules.token?.subject, rules.token?.filters], ["anna", [{ term: { tenant: "ä" } }]]);
});

test.run();

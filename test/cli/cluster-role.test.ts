import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { configurationFiles } from "../fixtures/configurations/configurations.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";
import { runHere } from "./run-here.ts";

const test = suite("relevance cluster-role");

/** Returns what the command prints for a configuration of which `auth` is how the cluster is called. */
async function printed(auth: object): Promise<string> {
  const folder = scratchFolder(TEST_OUTPUT, "cluster-role");
  try {
    const files = configurationFiles("all-options", [
      ["project.yaml", ["aws", "account_id"], "123456789012"],
      ["project.yaml", ["opensearch", "auth"], auth],
    ]);
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
    const { out, code } = await runHere(["cluster-role", "--conf", folder]);
    assert.is(code, 0);
    return out;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("prints a role for each function that calls the cluster, and its mapping, without calling AWS", async () => {
  const out = await printed({ type: "aws" });
  const calls = [...out.matchAll(/^PUT _plugins\/_security\/api\/(\S+)\n(\{.+\})$/gm)];
  assert.equal(
    calls.map(([, path]) => path),
    ["api-router", "suggestions"].flatMap((fn) => [`roles/all-options-${fn}`, `rolesmapping/all-options-${fn}`]),
  );
  for (const [, , body = ""] of calls) assert.ok(JSON.parse(body));
});

test("prints no role of functions that call the cluster as a user of it", async () => {
  const master_user_secret_arn = "arn:aws:secretsmanager:eu-west-1:123456789012:secret:master-AbCdEf";
  assert.is(await printed({ type: "basic", master_user_secret_arn }), "");
});

test.run();

// The command of cdktf.json, which `npx cdktf synth` runs.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { formatDiscovery } from "../../lib/infrastructure/discovery.ts";
import { configuration, configurationFolder, discoveryOf } from "../fixtures/configurations/configurations.ts";
import { ROOT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";

const test = suite("stacks: cdktf synth");

const folder = mkdtempSync(join(tmpdir(), "cdktf-synth-"));
test.after(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, "dist/functions"), { recursive: true });
for (const name of ["api-router", "log-handler", "search-events"])
  writeFileSync(join(folder, `dist/functions/${name}.zip`), name);

function main(env: Record<string, string>) {
  const { app }: { app: string } = JSON.parse(readFileSync(join(ROOT, "cdktf.json"), "utf8"));
  const [node = "", file = ""] = app.split(" ");
  return spawnSync(join(ROOT, node), [join(ROOT, file)], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, CONF: configurationFolder("minimal"), ...env },
  });
}

const textOf = (outdir: string) => readFileSync(join(folder, outdir, "stacks/search-gateway/cdk.tf.json"), "utf8");

test("writes every stack for a sample account, with the built archives", () => {
  const { status, stderr } = main({ CDKTF_OUTDIR: "sample" });
  assert.equal([status, stderr], [0, ""]);
  for (const stack of ["storage", "foundation"]) assert.ok(existsSync(join(folder, "sample/stacks", stack)));
  const hash = createHash("sha256").update("api-router").digest("base64");
  assert.match(textOf("sample"), `"source_code_hash": "${hash}"`);
});

test("uses a saved discovery", () => {
  const found = discoveryOf(configuration("minimal"));
  writeFileSync(join(folder, "discovery.json"), formatDiscovery({ ...found, account: "210987654321" }));
  const { status, stderr } = main({ CDKTF_OUTDIR: "saved", RELEVANCE_DISCOVERY: "discovery.json" });
  assert.equal([status, stderr], [0, ""]);
  assert.match(textOf("saved"), '"210987654321"');
});

test("prints the problems of a configuration and exits with 2", () => {
  const { status, stderr } = main({ CONF: "nowhere" });
  assert.is(status, 2);
  assert.match(stderr, /^nowhere.*does not exist/);
});

test("says what to do about a saved discovery of another version and exits with 1", () => {
  writeFileSync(join(folder, "old.json"), "{}");
  const { status, stderr } = main({ RELEVANCE_DISCOVERY: "old.json" });
  assert.equal([status, /run `relevance plan` again/.test(stderr)], [1, true]);
});

test.run();

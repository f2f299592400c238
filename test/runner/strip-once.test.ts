import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import * as assert from "uvu/assert";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";

const test = suite("sources without types, kept for all processes of a run");

const dir = scratchFolder(TEST_OUTPUT, "strip-once");
const source = join(dir, "source.ts");
const kept = join(dir, "kept");
const keptFile = join(kept, process.version, source);
test.after(() => rmSync(dir, { recursive: true, force: true }));

/** Runs the source as the processes of a run do, or as Node.js does alone. Its standard error is part of the output. */
function output({ alone = false } = {}): string {
  const hook = pathToFileURL(join(import.meta.dirname, "strip-once.mjs"));
  hook.searchParams.set("folder", kept);
  const args = [...(alone ? [] : [`--import=${hook.href}`]), "--input-type=module"];
  const script = `import(${JSON.stringify(pathToFileURL(source).href)}).catch((error) => console.log(error.stack))`;
  const env = { ...process.env, NODE_OPTIONS: "" };
  const { stdout, stderr } = spawnSync(process.execPath, [...args, "-e", script], { env, encoding: "utf8" });
  return stdout + stderr;
}

test("run as they do without it, at the first time and later", () => {
  writeFileSync(
    source,
    "interface Long {\n  a: number;\n}\nconst a = { a: 1 } satisfies Long as Long; throw new Error(String(a.a));\n",
  );
  const alone = output({ alone: true });
  assert.match(alone, /source\.ts:4:\d+/);
  assert.is(output(), alone);
  assert.not.match(readFileSync(keptFile, "utf8"), "interface");
  assert.is(output(), alone);
});

test("are taken from what is kept until they change", () => {
  const times = [new Date(1_000), new Date(1_000)] as const;
  writeFileSync(keptFile, "console.log('kept')");
  for (const file of [source, keptFile]) utimesSync(file, ...times);
  assert.is(output(), "kept\n");
  writeFileSync(source, "console.log('changed' as string)");
  assert.is(output(), "changed\n");
});

test.run();

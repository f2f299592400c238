import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ProxyEvent } from "@relevance/lib/platform/http/event.ts";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { loadBundle } from "../../api/load-bundle.ts";
import { createContext } from "../../api/service.ts";

const test = suite("bundle loader of the local API");

const folder = mkdtempSync(join(tmpdir(), "bundle-test-"));
test.after(() => rmSync(folder, { recursive: true }));

const write = (name: string, source: string) => {
  const file = join(folder, name);
  writeFileSync(file, source);
  return file;
};

const ECHO = write(
  "echo.mjs",
  `const env = { ...process.env };
   let calls = 0;
   export const handler = async (event) => {
     for (const chunk of event.chunks ?? []) process.stdout.write(chunk);
     return { statusCode: 200, body: JSON.stringify({ env, calls: (calls += 1) }) };
   };`,
);

const call = async (loaded: Awaited<ReturnType<typeof loadBundle>>, chunks: unknown[] = []) =>
  JSON.parse((await loaded.handler({ chunks } as unknown as ProxyEvent, createContext("1", 1_000))).body);

test("lets a bundle see exactly its own environment while it is imported", async () => {
  const before = process.env.PATH;
  const loaded = await loadBundle({ file: ECHO, env: { SETTING: "a" } });
  assert.equal((await call(loaded)).env, { SETTING: "a" });
  assert.is(process.env.PATH, before);
});

test("creates a separate instance each time a bundle is loaded", async () => {
  const [one, two] = [await loadBundle({ file: ECHO, env: {} }), await loadBundle({ file: ECHO, env: {} })];
  await call(one);
  assert.is((await call(two)).calls, 1);
});

test("restores the environment when the import fails", async () => {
  const before = process.env.PATH;
  const file = write("broken.mjs", `throw new Error("SETTING is missing");`);
  const error = await loadBundle({ file, env: {} }).catch((thrown) => thrown);
  assert.is(error.message, "SETTING is missing");
  assert.is(process.env.PATH, before);
});

test("names a file without a handler", async () => {
  const file = write("empty.mjs", "export const other = 1;");
  const error = await loadBundle({ file, env: {} }).catch((thrown) => thrown);
  assert.match(error.message, /empty\.mjs exports no function "handler"/);
});

test("removes request log lines from standard output and passes on the rest", async () => {
  const written: string[] = [];
  const original = process.stdout.write;
  process.stdout.write = ((chunk: string | Uint8Array) =>
    written.push(Buffer.from(chunk).toString()) > 0) as typeof original;
  const lines: string[] = [];
  const loaded = await loadBundle({ file: ECHO, env: {}, onRequestLog: (line) => lines.push(line) });
  const log = '{"type":"relevance.search","query_id":"1"}';
  await call(loaded, ["plain\n", `${log}\n`, Buffer.from(`before\n${log}\nafter\n`), '{"type":"other"}\n']);
  loaded.release();
  process.stdout.write(`${log}\n`);
  process.stdout.write = original;
  assert.equal(lines, [log, log]);
  assert.is(written.join(""), `plain\nbefore\nafter\n{"type":"other"}\n${log}\n`);
});

test.run();

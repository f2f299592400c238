import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { unzipSync } from "fflate";
import * as assert from "uvu/assert";
import { zip } from "../../build/archive.ts";
import { suite } from "../suite.ts";

const test = suite("archives of functions");

const cache = mkdtempSync(join(tmpdir(), "archive-"));
test.after(() => rmSync(cache, { recursive: true }));

const BUNDLE = new TextEncoder().encode("export const handler = () => 1;\n".repeat(5_000));
const filesWith = (setting: number) =>
  new Map([
    ["index.mjs", BUNDLE],
    ["config.json", new TextEncoder().encode(JSON.stringify({ setting }))],
  ]);

test("contain the files as they are", async () => {
  const unpacked = unzipSync(await zip(filesWith(1), cache));
  assert.equal(Object.keys(unpacked), ["config.json", "index.mjs"]);
  assert.equal(Buffer.from(unpacked["index.mjs"] ?? []), Buffer.from(BUNDLE));
  assert.is(Buffer.from(unpacked["config.json"] ?? []).toString(), '{"setting":1}');
});

test("compress a bundle once, although another setting lies beside it", async () => {
  const [kept = "", ...more] = readdirSync(cache);
  assert.equal(more, []);
  const archive = await zip(filesWith(1), cache);
  // What is no bundle at all shows whether it is read.
  writeFileSync(join(cache, kept), Buffer.from([3, 0]));
  assert.ok((await zip(filesWith(2), cache)).length < archive.length);
  assert.equal(readdirSync(cache), [kept]);
  rmSync(join(cache, kept));
  assert.equal(await zip(filesWith(1), cache), archive);
});

test.run();

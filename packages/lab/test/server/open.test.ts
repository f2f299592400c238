import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import * as assert from "uvu/assert";
import { ROOT } from "../../../../test/fixtures/env.ts";
import { suite } from "../../../../test/suite.ts";
import { bundlePage } from "../../server/open.ts";

const test = suite("the console's bundle");

test("has the sizes that the guide states, within a tenth", async () => {
  const page = await bundlePage(join(ROOT, "packages/lab/console"));
  const guide = readFileSync(join(ROOT, "docs/guides/console.md"), "utf8");
  const [, script = "", zipped = "", style = ""] =
    /script of (\d+) kB \((\d+) kB with gzip\) and a style sheet of (\d+) kB/.exec(guide) ?? [];
  const body = (path: string) => page.get(path)?.body ?? "";
  const sizes = [
    [Buffer.byteLength(body("/console.js")), script],
    [gzipSync(body("/console.js")).length, zipped],
    [Buffer.byteLength(body("/console.css")), style],
  ] as const;
  for (const [bytes, stated] of sizes) {
    assert.ok(
      Math.abs(bytes / 1000 - Number(stated)) <= Math.max(1, bytes / 10_000),
      `${bytes} B, stated ${stated} kB`,
    );
  }
});

test("names no hosts except those of XML namespaces, and contains no Node.js code", async () => {
  const page = await bundlePage(join(ROOT, "packages/lab/console"));
  for (const [path, { body }] of page) {
    const hosts = Array.from(body.matchAll(/(?:https?:)?\/\/([a-z0-9-]+\.[a-z0-9.-]+)/g), ([, host]) => host);
    assert.equal(
      hosts.filter((host) => host !== "www.w3.org"),
      [],
      path,
    );
    assert.not.match(body, /\brequire\("|["']node:[a-z]/);
  }
});

test.run();

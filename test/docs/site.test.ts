// The pages of the site: their links, their order for each reader, and what is made from OpenAPI.
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import * as assert from "uvu/assert";
import { brunoCollection } from "../../build/site/bruno.ts";
import { llmsText, siteConfig } from "../../build/site/config.ts";
import { describedOperations, type OpenApiFile } from "../../build/site/openapi-file.ts";
import { pagesOf } from "../../build/site/pages.ts";
import { READERS } from "../../build/site/readers.ts";
import { KEYWORDS } from "../../build/site/search.ts";
import { requestTabs } from "../../build/site/tabs.ts";
import { PORTS, type PortName } from "../../packages/local/dev/options.ts";
import { suite } from "../suite.ts";

const test = suite("pages of the site");

const pages = pagesOf();
const documentOf = (name: string): OpenApiFile => JSON.parse(readFileSync(`docs/reference/${name}`, "utf8"));
const documents = {
  "search gateway": documentOf("openapi.json"),
  "recommendation service": documentOf("openapi-recommendation.json"),
};

test("has each guide in the order of a reader, and no other", () => {
  const listed = [...new Set(READERS.flatMap(({ guides }) => guides))].sort();
  assert.equal(
    listed,
    globSync("docs/guides/*.md")
      .map((file) => basename(file, ".md"))
      .sort(),
  );
  assert.equal(
    Object.keys(KEYWORDS).sort(),
    [...listed, "reference/sizing"].sort(),
    "each has words by which people search",
  );
  assert.match(JSON.stringify(siteConfig(pages)), /"text":"Merchandisers","link":"\/guides\/rules.html"/);
  for (const guide of listed) assert.ok(llmsText(pages).includes(`(/guides/${guide}.md)`), guide);
});

test("shows each endpoint with tabs, and has a request of each for Bruno", () => {
  const collection = [...brunoCollection(documents)];
  for (const [name, file] of Object.entries(documents)) {
    const page = pages.find(({ path }) => path === `reference/${name.replaceAll(" ", "-")}.md`);
    for (const { method, path } of describedOperations(file)) {
      assert.ok(page?.text.includes(`\`${method} ${path}\``), path);
      assert.ok(
        collection.some(([to, text]) => to.startsWith(name) && text.includes(`_url}}${path}\n`)),
        path,
      );
    }
    assert.match(page?.text ?? "", /```sh \[curl\][\s\S]+```ts \[TypeScript\][\s\S]+```python \[Python\]/);
  }
});

test("names in Bruno's environment the addresses that the local stack has from the port 8000 on", () => {
  const text = brunoCollection(documents).get("environments/local.bru") ?? "";
  const portOf = (name: PortName) => 8000 + PORTS.indexOf(name);
  assert.equal(text.match(/(?<=127\.0\.0\.1:)\d+/g)?.map(Number), [portOf("api"), portOf("recommendation")]);
});

/** Commands of guides without tabs, by what they begin with, and why. */
const WITHOUT_TABS: Readonly<Record<string, string>> = {
  "curl --aws-sigv4": "the clients send API keys and do not sign",
  'curl -X PUT "$CLUSTER/': "it calls the cluster, which is left without the gateway",
  'curl "$URL/mcp"': "agents have clients of their own; test/integration/mcp.test.ts runs it",
};

test("shows each request of the guides with tabs", () => {
  const blocks = pages
    .filter(({ path }) => path.startsWith("guides/"))
    .flatMap(({ text }) => [...text.matchAll(/^ *```(.*)\n([\s\S]*?)^ *```/gm)]);
  const commands = blocks.filter(([, language, code = ""]) => language !== "sh [curl]" && /\bcurl /.test(code));
  const begins = commands.map(([, , code = ""]) => Object.keys(WITHOUT_TABS).find((start) => code.startsWith(start)));
  assert.equal(begins.sort(), Object.keys(WITHOUT_TABS).sort());
  // Requests without a command would have no tabs.
  const bare = blocks.filter(([, , code = ""]) => /^(GET|POST|PUT|DELETE) \//.test(code)).map(([block]) => block);
  assert.equal(bare, []);
});

test("writes words of JSON as Python does, but not those in texts", () => {
  const body = '{"is": true, "not": [false, null], "text": "true, \\"null\\" or false"}';
  const tabs = requestTabs("curl", { method: "POST", path: "/application/search", body }, "search");
  assert.ok(tabs.includes(`await relevance.search(${body});`));
  assert.ok(
    tabs.includes('answer = relevance.search({"is": True, "not": [False, None], "text": "true, \\"null\\" or false"})'),
  );
});

test("refuses links to files and headings that do not exist, and lets code be", () => {
  const root = mkdtempSync(join(tmpdir(), "site-"));
  try {
    for (const part of [
      "docs",
      "README.md",
      "CONTRIBUTING.md",
      "CHANGELOG.md",
      "SECURITY.md",
      "bench/RESULTS.md",
      "bench/ENDED.md",
      "packages/clients/typescript/README.md",
      "packages/clients/python/README.md",
      "build",
      "conf",
    ]) {
      const filter = (source: string) => !source.includes("node_modules");
      cpSync(part, join(root, part), { recursive: true, filter });
    }
    const file = join(root, "docs/guides/bulk.md");
    const text = readFileSync(file, "utf8");
    writeFileSync(file, `${text}\n[one](none.md), [two](search.md#none), \`[three](none.md)\`\n`);
    const message = (() => {
      try {
        return String(pagesOf(root).length);
      } catch (error) {
        return (error as Error).message;
      }
    })();
    const dead = message.split("\n").filter((line) => line.includes("bulk.md"));
    assert.equal(dead, ["docs/guides/bulk.md: none.md", "guides/bulk.md: ./search.md#none"]);
  } finally {
    rmSync(root, { recursive: true });
  }
});

test.run();

// The configuration that guides show is valid, so that it can be copied.
import { globSync, readFileSync } from "node:fs";
import * as assert from "uvu/assert";
import { parse, stringify } from "yaml";
import { loadConfiguration } from "../../lib/settings/load.ts";
import { ConfigurationError } from "../../lib/settings/problem.ts";
import { suite } from "../suite.ts";

const test = suite("configuration in the guides");

/** What is wrong only because a block is no whole configuration: a template of another file, or no host name. */
const OF_OTHER_PARTS = /is not in templates of hybrid_search\.yaml|no API has a host name/;

/** Returns the blocks of a page that name their file in the first line. */
const blocksOf = (page: string) =>
  [...page.matchAll(/^```yaml\n(# conf\/(\S+)\n[\s\S]*?)^```/gm)].map(([, text = "", file = ""]) => ({ file, text }));

/** Returns what is wrong with the demo's configuration once a block takes the place of the same keys. */
function problemsOf({ file, text }: { file: string; text: string }): string[] {
  try {
    loadConfiguration("conf.local", (name, own) =>
      name === file ? stringify({ ...parse(own), ...parse(text) }) : own,
    );
    return [];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.problems.map(({ path, message }) => `${file}: ${path} ${message}`);
  }
}

const pages = [...globSync("docs/guides/*.md"), ...globSync("packages/clients/*/README.md")].sort();
const shown = pages
  .map((page) => ({ page, blocks: blocksOf(readFileSync(page, "utf8")) }))
  .filter(({ blocks }) => blocks.length > 0);

for (const { page, blocks } of shown) {
  test(`${page} shows a valid configuration`, () => {
    assert.equal(
      blocks.flatMap(problemsOf).filter((problem) => !OF_OTHER_PARTS.test(problem)),
      [],
    );
  });
}

test("finds the blocks", () => {
  assert.ok(shown.flatMap(({ blocks }) => blocks).length >= 15);
});

test.run();

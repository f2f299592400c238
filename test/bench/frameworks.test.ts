import { readFileSync } from "node:fs";
import * as assert from "uvu/assert";
import { GUIDE, type Results, withTable } from "../../bench/frameworks/guide.ts";
import { suite } from "../suite.ts";

const test = suite("the table of frameworks in docs/reference/frameworks.md");

const guide = readFileSync(GUIDE, "utf8");
const stored: Results = JSON.parse(readFileSync("bench/frameworks/results.json", "utf8"));

test("equals the stored results: run make bench ARGS=frameworks", () => {
  assert.is(guide, withTable(guide, stored));
});

test("says for each step whether it worked, for what it failed, and that a program did not run", () => {
  const run = (target: "cluster" | "indexes", write: string | null) => ({
    program: "go",
    target,
    version: "3.6.0",
    steps: { create: null, write },
  });
  const results: Results = {
    date: "2026-11-25",
    titles: { go: "client 1", java: "client 2" },
    notRun: { java: "spawn java ENOENT" },
    runs: [run("cluster", null), run("indexes", 'Error: the rule "a|b" refuses frameworks-go-1')],
  };
  const text = withTable(guide, results);
  assert.match(text, "| client 1 | yes | partly |  |  |  |  |  |");
  assert.match(text, "| client 2 | not run |");
  assert.match(text, "client 2 was not run: spawn java ENOENT");
  assert.match(
    text,
    '- client 1, write: not with a `recommended` key with `indexes` (3.6.0): `Error: the rule "a\\|b" refuses <index>`',
  );
});

test.run();

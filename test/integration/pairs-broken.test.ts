import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { copyRepository } from "../../bench/mutants/play.ts";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { patient } from "../../packages/processes/wait.ts";
import { formatPairs, OPENSEARCH_ENV, ROOT, TEST_OUTPUT } from "../fixtures/env.ts";
import { clusters } from "../fixtures/opensearch.ts";
import { allPairs, nameOf } from "../pairs/array.ts";
import { SEED } from "../pairs/report.ts";
import { searchConstraints } from "../pairs/search/constraints.ts";
import { searchDimensions } from "../pairs/search/dimensions.ts";
import { runFile } from "../runner/run-file.ts";
import { suite } from "../suite.ts";

const test = suite("pairs of features over a broken rule");

/** The cases of the array among which is the one that is played. */
const CASES = 60;

/** The rules by which an alias ties an index to its entry. */
const RULES = {
  file: "lib/search/resolve/entry.ts",
  text: " ??\n    agreed(entries, askedHere) ??\n    agreed(entries, aliases)",
};

const [cluster] = await clusters();
if (!cluster) throw new Error("there is no cluster to test against");
const { version, url } = cluster;
const copy = scratchFolder(TEST_OUTPUT, "pairs-broken");

/** Plays a case over the code of the copy. */
const play = (name: string) =>
  runFile("test/integration/pairs.test.ts", {
    root: copy,
    env: { [OPENSEARCH_ENV]: formatPairs({ [version]: url }), PAIRS_CASE: `search ${name}` },
    timeLimitMs: patient(60_000),
    signal: new AbortController().signal,
    background: false,
  });

test(`${version}: a case of the array reports that an alias no longer ties an index to its entry`, async () => {
  const dimensions = searchDimensions(version);
  const rows = allPairs(dimensions, searchConstraints(version), { seed: SEED, most: CASES });
  const row = rows.find(
    ({ entry, queries, way }) => entry === "alias" && /[DS]/.test(queries) && way === "application",
  );
  if (!row) throw new Error("no case has an entry by an alias");
  const name = nameOf(dimensions, row);
  copyRepository(ROOT, copy);
  const kept = await play(name);
  assert.is(kept.code, 0, kept.output);

  const file = join(copy, RULES.file);
  const rules = readFileSync(file, "utf8");
  assert.match(rules, RULES.text);
  writeFileSync(file, rules.replace(RULES.text, ""));
  const broken = await play(name);
  assert.equal([broken.code, broken.timedOut], [1, false], broken.output);
  assert.match(broken.output, `PAIRS_CASE='search ${name}'`);
  assert.not.match(broken.output, "the case itself");
});

test.after(() => rmSync(copy, { recursive: true, force: true }));

test.run();

import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { loadConfiguration, loadHybridSearch } from "../../../lib/settings/load.ts";
import { removeShopKey } from "../../fixtures/shop-key.ts";
import { suite } from "../../suite.ts";

const test = suite("loading a configuration folder");

let folder = "";

test.before.each(() => {
  folder = mkdtempSync(join(tmpdir(), "conf-"));
  cpSync("conf.local", folder, { recursive: true });
});

test.after.each(() => rmSync(folder, { recursive: true }));

function problems(load: (directory: string) => unknown = loadConfiguration): string {
  try {
    load(folder);
    return "";
  } catch (error) {
    return error instanceof Error ? error.message.replaceAll(folder, "DIR") : String(error);
  }
}

test("gives the configuration", () => {
  const { project, searchGateway, recommendation } = loadConfiguration(folder);
  assert.is(project.project_name, "demo");
  assert.ok(searchGateway);
  assert.ok(recommendation);
});

test("a missing folder is reported with the option that names one", () => {
  assert.throws(
    () => loadConfiguration("no/such/folder"),
    (error: Error) => error.message === "no/such/folder  does not exist: give the configuration folder with --conf DIR",
  );
});

test("a file in place of the folder is refused", () => {
  assert.throws(() => loadConfiguration("package.json"), /^package.json {2}cannot be read: ENOTDIR/);
});

test("a folder in place of a file, and a file that is not UTF-8, are reported with the other problems", () => {
  rmSync(join(folder, "filter.yaml"));
  mkdirSync(join(folder, "filter.yaml"));
  writeFileSync(join(folder, "campaign.yaml"), Buffer.from([0x63, 0xe4, 0x3a]));
  writeFileSync(join(folder, "model.yaml"), "sparse_v4: {}");
  const text = problems();
  assert.match(text, "DIR/filter.yaml  cannot be read: it is a folder");
  assert.match(text, "DIR/campaign.yaml  cannot be read: it is not UTF-8 text");
  assert.match(text, 'DIR/model.yaml:1  sparse_v4  is not a known key: did you mean "sparse_v3"?');
});

test("a byte order mark is accepted", () => {
  rmSync(join(folder, "recommendation.yaml"));
  removeShopKey(folder);
  writeFileSync(join(folder, "filter.yaml"), "\uFEFFfilters: []\n");
  assert.equal(loadConfiguration(folder).recommendation?.filters, []);
});

test("Windows line endings are accepted, and lines are counted correctly", () => {
  rmSync(join(folder, "recommendation.yaml"));
  removeShopKey(folder);
  writeFileSync(join(folder, "filter.yaml"), "filters: []\r\n\r\nfilter: 1\r\n");
  assert.is(problems(), 'DIR/filter.yaml:3  filter  is not a known key: did you mean "filters"?');
});

test("hybrid_search.yaml is loaded and checked without the other files", () => {
  rmSync(join(folder, "project.yaml"));
  rmSync(join(folder, "model.yaml"));
  assert.is(loadHybridSearch(folder).hybrid_queries.length, 2);
  writeFileSync(join(folder, "hybrid_search.yaml"), "hybrid_queries: [{index: a}, {index: a}]");
  assert.match(problems(loadHybridSearch), 'hybrid_queries[1].index  "a" appears twice: see hybrid_queries[0]');
  rmSync(join(folder, "hybrid_search.yaml"));
  assert.throws(
    () => loadHybridSearch(folder),
    /hybrid_search.yaml {2}is missing: it says which indices have embeddings/,
  );
});

test.run();

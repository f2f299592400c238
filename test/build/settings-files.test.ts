import { execFile } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { strFromU8, unzipSync } from "fflate";
import * as assert from "uvu/assert";
import { functionFiles, functionsOf, settingsOf } from "../../build/settings-files.ts";
import { namesOf } from "../../lib/platform/naming/names.ts";
import type { Configuration } from "../../lib/settings/configuration.ts";
import { loadConfiguration } from "../../lib/settings/load.ts";
import { configuration } from "../fixtures/configurations/configurations.ts";
import { smallModelFiles } from "../lib/search/embeddings/fixture.ts";
import { suite } from "../suite.ts";

const test = suite("files beside the bundles");

const folder = mkdtempSync(join(tmpdir(), "settings-files-"));
test.after(() => rmSync(folder, { recursive: true }));

const both = loadConfiguration("conf.local");
const recommendationOnly: Configuration = { ...both, searchGateway: undefined };
const gatewayOnly: Configuration = { ...both, recommendation: undefined };
const names = namesOf({ project: "demo", account: "123456789012", region: "eu-west-1" });

test("exist for each function that reads one", () => {
  const reading = globSync("functions/*/index.ts")
    .filter((path) => readFileSync(path, "utf8").includes('"config.json"'))
    .map((path) => basename(dirname(path)));
  assert.equal(Object.keys(settingsOf(both, { names })).sort(), reading.sort());
});

test("are the same in every account and region", async () => {
  const elsewhere = namesOf({ project: "demo", account: "999999999999", region: "us-gov-west-1" });
  assert.equal(await functionFiles(both, { names: elsewhere }), await functionFiles(both, { names }));
});

test("exist only for functions that the configuration deploys", () => {
  const files = (config: Configuration) => Object.keys(settingsOf(config, { names })).sort();
  assert.equal(files(gatewayOnly), ["api-router", "search-events", "suggestions"]);
  assert.equal(files(recommendationOnly), ["etl", "realtime-sync", "recommendation-api", "training"]);
});

test("include the sparse model's files only for api-router, and only if a mapping uses the model", async () => {
  const models = join(folder, "models");
  mkdirSync(models);
  for (const [name, content] of Object.entries(smallModelFiles({ dragon: 3 })))
    writeFileSync(join(models, name), content);
  const used = await functionFiles(both, { names, models });
  assert.equal(Object.keys(used["api-router"] ?? {}).sort(), [
    "config.json",
    "idf.json",
    "tokenizer.json",
    "tokenizer_config.json",
  ]);
  assert.equal(Object.keys(used.training ?? {}), ["config.json"]);
  const searchGateway = both.searchGateway && { ...both.searchGateway, hybridQueries: [] };
  const unused = await functionFiles({ ...both, searchGateway }, { names, models: join(folder, "not-there") });
  assert.equal(Object.keys(unused["api-router"] ?? {}), ["config.json"]);
});

test("are built for the scaler only if it is configured", () => {
  assert.not.ok(functionsOf(both).includes("cluster-scaler"));
  assert.ok(functionsOf(configuration("all-options")).includes("cluster-scaler"));
});

/** Runs the build command. Returns its output; throws with its messages. */
const build = (...args: string[]) =>
  promisify(execFile)(process.execPath, [resolve("build/main.ts"), "--out", join(folder, "functions"), ...args]);

test("are written into the folder and the archive by the build", async () => {
  await build("--conf", "conf.local", "realtime-sync");
  assert.equal(readdirSync(join(folder, "functions")).sort(), ["realtime-sync", "realtime-sync.zip"]);
  const expected = (await functionFiles(both, { names }))["realtime-sync"]?.["config.json"];
  assert.is(readFileSync(join(folder, "functions/realtime-sync/config.json"), "utf8"), expected);
  const archive = unzipSync(readFileSync(join(folder, "functions/realtime-sync.zip")));
  assert.is(strFromU8(archive["config.json"] ?? new Uint8Array()), expected);
});

test("are refused for a function that the configuration does not deploy, listing those it deploys", async () => {
  const message = await build("--conf", "conf.local", "cluster-scaler").then(
    () => "built",
    (error: { stderr: string }) => error.stderr,
  );
  assert.match(
    message,
    /conf\.local deploys no function "cluster-scaler"; it deploys api-router, log-handler, search-events, /,
  );
});

test.run();

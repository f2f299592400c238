import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "@relevance/processes/scratch.ts";
import { waitFor } from "@relevance/processes/wait.ts";
import * as assert from "uvu/assert";
import { TEST_OUTPUT } from "../../../../test/fixtures/env.ts";
import { suite } from "../../../../test/suite.ts";
import { configurationFiles, versionOf, watchConfiguration } from "../../dev/watch-configuration.ts";

const test = suite("watching the configuration");

test("names only the files whose content changes, also in subfolders", async () => {
  const folder = scratchFolder(TEST_OUTPUT, "watched");
  mkdirSync(join(folder, "schema"));
  writeFileSync(join(folder, "filter.yaml"), "filters: []\n");
  writeFileSync(join(folder, "api.yaml"), "a: 1\n");
  const changes: string[][] = [];
  const before = configurationFiles(folder);
  let version = versionOf(before);
  // Changed while the stack was starting.
  writeFileSync(join(folder, "rules.yaml"), "rules: []\n");
  const stop = watchConfiguration(folder, before, (files, now) => {
    changes.push(files);
    version = versionOf(now);
  });
  try {
    writeFileSync(join(folder, "api.yaml"), "a: 1\n");
    writeFileSync(join(folder, "notes.md"), "a note");
    writeFileSync(join(folder, "filter.yaml"), "filters:\n");
    writeFileSync(join(folder, "schema", "user.json"), "{}");
    await waitFor(async () => changes.flat().length >= 3, { what: "all changes", timeoutMs: 30_000 });
    assert.equal(changes.flat().sort(), ["filter.yaml", "rules.yaml", join("schema", "user.json")]);
    assert.is(version, versionOf(configurationFiles(folder)));
  } finally {
    stop();
    rmSync(folder, { recursive: true });
  }
});

test.run();

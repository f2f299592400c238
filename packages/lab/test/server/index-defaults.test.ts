import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "@relevance/processes/scratch.ts";
import * as assert from "uvu/assert";
import { TEST_OUTPUT } from "../../../../test/fixtures/env.ts";
import { suite } from "../../../../test/suite.ts";
import { previewDefaults, type SentDefaults, writeDefaults } from "../../server/index-defaults.ts";

const test = suite("defaults of an index, written by the console");

const file = join(scratchFolder(TEST_OUTPUT, "index-defaults"), "hybrid_search.yaml");
const BEFORE = `hybrid_queries:
  - index: books # ours
    candidates: 50
    embedding_mappings: [{embedding_field: v, model_name: dense_large_en_v1_5, src_fields: [text]}]
`;
test.before.each(() => writeFileSync(file, BEFORE));

const sent = (index = "books"): SentDefaults => ({
  index,
  defaults: { weights: [0.3, 0.7], normalization: "min_max", combination: "arithmetic_mean", candidates: 100 },
});

test("previews a change, and then writes exactly the preview", () => {
  const change = previewDefaults(file, sent());
  assert.is(readFileSync(file, "utf8"), BEFORE);
  assert.match(change.after, "# ours");
  assert.match(change.after, "settings: {weights: [0.3, 0.7], normalization: min_max, combination: arithmetic_mean}");
  writeDefaults(file, { ...sent(), version: change.version });
  assert.is(readFileSync(file, "utf8"), change.after);
});

test("writes nothing that the user has not seen", () => {
  const { version } = previewDefaults(file, sent());
  const edited = BEFORE.replace("50", "60");
  writeFileSync(file, edited);
  assert.throws(() => writeDefaults(file, { ...sent(), version }), /has changed in the meantime/);
  assert.throws(() => writeDefaults(file, sent()), /has changed in the meantime/);
  assert.is(readFileSync(file, "utf8"), edited);
});

test("neither previews nor writes what a start would refuse", () => {
  const { version } = previewDefaults(file, sent());
  const heavy = { ...sent(), defaults: { ...sent().defaults, weights: [0.3, 0.3] }, version };
  assert.throws(() => previewDefaults(file, heavy), /would make .*hybrid_search\.yaml invalid: .*weights/);
  assert.throws(() => writeDefaults(file, heavy), /would make .*hybrid_search\.yaml invalid: .*weights/);
  assert.is(readFileSync(file, "utf8"), BEFORE);
});

test("says that an index has no entry", () => {
  assert.throws(() => previewDefaults(file, sent("films")), /has no entry in block style for films/);
});

test.run();

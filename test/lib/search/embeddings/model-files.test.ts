import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import {
  changedFiles,
  lockOf,
  type ModelFileName,
  type ModelFiles,
  ModelFilesError,
  parseModelFiles,
} from "../../../../lib/search/embeddings/model-files.ts";
import { readModelFiles, sparseModelIn } from "../../../../lib/search/embeddings/sparse-model.ts";
import { suite } from "../../../suite.ts";
import { smallModelFiles } from "./fixture.ts";

const test = suite("embeddings: model files");

const good = smallModelFiles({ dragon: 3, constructor: 4 });

const replaced = (name: ModelFileName, content: unknown): ModelFiles => ({
  ...good,
  [name]: Buffer.from(typeof content === "string" ? content : JSON.stringify(content)),
});

/** The tokenizer with one part changed. */
function tokenizer(change: (json: ReturnType<typeof JSON.parse>) => void): ModelFiles {
  const json = JSON.parse(good["tokenizer.json"].toString());
  change(json);
  return replaced("tokenizer.json", json);
}

const REFUSED: Record<string, readonly [files: ModelFiles, message: RegExp]> = {
  "a page of HTML": [replaced("idf.json", "<html>"), /^idf\.json is not JSON \(6 bytes\); fetch the file again$/],
  "a cut file": [replaced("tokenizer.json", '{"model": {'), /^tokenizer\.json is not JSON/],
  "weights that are words": [replaced("idf.json", { dragon: "3" }), /^idf\.json .*"dragon" is "3", not a number$/],
  "a weight that is null": [replaced("idf.json", { dragon: null }), /"dragon" is null, not a number$/],
  "an id below 0": [tokenizer((json) => (json.model.vocab.dragon = -1)), /have gaps or repeat/],
  "no weights": [replaced("idf.json", {}), /^idf\.json holds no weights/],
  "weights of other tokens": [
    replaced("idf.json", { dragon: 3, unicorn: 1, zebra: 1 }),
    /^idf\.json weights 2 tokens that tokenizer\.json does not have \(unicorn, zebra\)/,
  ],
  "another kind of tokenizer": [tokenizer((json) => (json.model.type = "BPE")), /^tokenizer\.json .* model\.type /],
  "a vocabulary with gaps": [tokenizer((json) => (json.model.vocab.dragon = 99)), /have gaps or repeat/],
  "an id one too large": [
    tokenizer(({ model, added_tokens: added }) => {
      model.vocab.dragon = new Set([...Object.values(model.vocab), ...added.map(({ id }: { id: number }) => id)]).size;
    }),
    /have gaps or repeat/,
  ],
  "a vocabulary with repeats": [tokenizer((json) => (json.model.vocab.dragon = 0)), /have gaps or repeat/],
  "no special tokens": [tokenizer((json) => (json.added_tokens = [])), /names no special tokens/],
  "a file that is far too large": [replaced("idf.json", " ".repeat(16_000_001)), /^idf\.json has 16000001 bytes/],
};

for (const [name, [files, message]] of Object.entries(REFUSED)) {
  test(`refuses ${name}`, () => {
    try {
      parseModelFiles(files);
    } catch (error) {
      assert.instance(error, ModelFilesError);
      assert.match((error as Error).message, message);
      return;
    }
    assert.unreachable("was accepted");
  });
}

test("keeps the token constructor, which schema libraries drop", () => {
  const { vocabulary, weights } = parseModelFiles(good);
  assert.is(weights.get("constructor"), 4);
  assert.is(vocabulary.get("constructor"), 6);
});

test("the lock shows which file has changed", () => {
  const lock = lockOf(good, { repository: "r", revision: "1" });
  assert.equal(changedFiles(good, lock), []);
  assert.equal(changedFiles(smallModelFiles({ dragon: 2, constructor: 4 }), lock), ["idf.json"]);
});

test("missing files are an error that names them and the command, and loading recovers once they exist", async () => {
  const folder = await mkdtemp(join(tmpdir(), "model-files-"));
  try {
    await writeFile(join(folder, "idf.json"), good["idf.json"]);
    const load = sparseModelIn(folder);
    const error = await load().catch((one: Error) => one);
    assert.instance(error, ModelFilesError);
    assert.is(
      (error as Error).message,
      `tokenizer.json, tokenizer_config.json missing in ${folder}: run \`make models\``,
    );
    for (const [name, content] of Object.entries(good)) await writeFile(join(folder, name), content);
    assert.equal((await load()).tokenize("Dragon"), ["dragon"]);
    assert.equal(await readModelFiles(folder), good);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test.run();

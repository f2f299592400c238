import { Tokenizer } from "@huggingface/tokenizers";
import { parseModelFiles } from "@relevance/lib/search/embeddings/model-files.ts";
import { createSparseModel } from "@relevance/lib/search/embeddings/sparse-model.ts";
import { sparseQuery } from "@relevance/lib/search/embeddings/sparse-vector.ts";
import * as assert from "uvu/assert";
import { suite } from "../../../test/suite.ts";
import { generatedModelFiles } from "../model-files.ts";
import { generateVocabulary } from "../vocabulary.ts";

const test = suite("generated vocabulary");

const files = parseModelFiles(generatedModelFiles());
const model = await createSparseModel(files);

/** A tokenizer with the special tokens that `SparseModel` leaves out, to detect [UNK]. */
const withSpecial: { tokenize(text: string): string[] } = new Tokenizer(files.tokenizer, files.tokenizerConfig);
const isUnknown = (text: string) => withSpecial.tokenize(text).includes("[UNK]");

test("is the same for the same seed, and differs for another", () => {
  assert.equal(generateVocabulary(7), generateVocabulary(7));
  assert.not.equal(generateVocabulary(7).tokens, generateVocabulary(8).tokens);
});

test("has the special tokens where the real vocabulary has them", () => {
  const { tokens } = generateVocabulary();
  assert.equal(
    [0, 100, 101, 102, 103].map((id) => tokens[id]),
    ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"],
  );
  assert.equal([...files.specialIds], [0, 100, 101, 102, 103]);
});

test("has tokens for every part of words, long texts, and characters beyond the second plane", () => {
  for (const text of ["plain words", "zyzzyvas", "😀👍🏽🇪🇺", "a‍b", "x".repeat(1_000), "字".repeat(200), "\ud83d"])
    assert.not(isUnknown(text), text);
});

test("has tokens for every code point of the first two planes except whitespace and control characters", () => {
  const wrong: string[] = [];
  for (let start = 0; start < 0x20000; start += 64) {
    const characters = Array.from({ length: 64 }, (_, i) => String.fromCodePoint(start + i));
    if (isUnknown(characters.join(" "))) wrong.push(start.toString(16));
  }
  assert.equal(wrong, []);
});

test("gives a word's forms the word's own token", () => {
  assert.equal(model.tokenize("Dragons"), ["dragon", "##s"]);
  assert.equal(model.tokenize("dragon"), ["dragon"]);
});

test("gives rare words more weight than function words", () => {
  const weights = sparseQuery("the dragon", model);
  assert.ok((weights.dragon ?? 0) > 5 * (weights.the ?? 9));
});

test("gives no sparse match for a word in another script, since bytes carry no meaning", () => {
  assert.equal(sparseQuery("日本語", model), {});
});

test.run();

import * as assert from "uvu/assert";
import { passageNotes } from "../../../cli/plan/passage-notes.ts";
import { configuration } from "../../fixtures/configurations/configurations.ts";
import { suite } from "../../suite.ts";

const test = suite("notes of a plan on passages");

const chunked = (entry: number, chunking: object) =>
  configuration("all-options", [
    ["hybrid_search.yaml", ["hybrid_queries", entry, "embedding_mappings", 0, "chunking"], chunking],
  ]);

test("a plan says that a document of several passages costs as many embeddings, and who makes them", () => {
  assert.equal(passageNotes(chunked(0, { max_passages: 8 })), [
    "products: description_dense costs a document of n passages of 400 tokens n embeddings of dense_large_en_v1_5, at most 8; its instances make each",
  ]);
  assert.equal(passageNotes(chunked(1, { tokens: 200, overlap: 20 })), [
    "news-*: text_english costs a document of n passages of 200 tokens n embeddings of ext_embed_english_v3, at most 50; Bedrock bills each by the token",
  ]);
});

test("a plan has no such note without passages", () => {
  assert.equal(passageNotes(configuration("all-options")), []);
  assert.equal(passageNotes(configuration("minimal")), []);
});

test.run();

import * as assert from "uvu/assert";
import { passageNotes } from "../../../cli/plan/passage-notes.ts";
import { rerankNotes } from "../../../cli/plan/rerank-notes.ts";
import { configuration } from "../../fixtures/configurations/configurations.ts";
import { suite } from "../../suite.ts";

const test = suite("notes of a plan on rerankers and passages");

const notesWith = (rerank: object) =>
  rerankNotes(configuration("all-options", [["hybrid_search.yaml", ["hybrid_queries", 0, "rerank"], rerank]]));
const COHERE = { model: "cohere.rerank-v3-5:0", fields: ["title"] };

test("a plan says what searches pay for a reranker on Bedrock", () => {
  const [note = "", ...more] = notesWith(COHERE);
  assert.equal(more, []);
  assert.match(
    note,
    "cohere.rerank-v3-5:0 reads the best 50 hits of each search; Bedrock bills 1 unit or fewer, by use",
  );
  const [asked = ""] = notesWith({ ...COHERE, candidates: 150, batch_size: 50, by_default: false });
  assert.match(asked, "the best 150 hits of each search that asks for it; Bedrock bills 3 units or fewer, by use");
});

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

test("a plan has no such note without rerankers and passages", () => {
  for (const name of ["all-options", "minimal"] as const)
    assert.equal([rerankNotes(configuration(name)), passageNotes(configuration(name))], [[], []]);
});

test.run();

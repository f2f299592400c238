import * as assert from "uvu/assert";
import { rerankNotes } from "../../../cli/plan/rerank-notes.ts";
import { configuration } from "../../fixtures/configurations/configurations.ts";
import { suite } from "../../suite.ts";

const test = suite("notes of a plan on rerankers");

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

test("a plan has no such note without rerankers", () => {
  assert.equal(rerankNotes(configuration("all-options")), []);
  assert.equal(rerankNotes(configuration("minimal")), []);
});

test.run();

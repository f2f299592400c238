import * as assert from "uvu/assert";
import { deadlineIn } from "../../../../lib/core/resilience/deadline.ts";
import { createEmbeddingCache } from "../../../../lib/search/embeddings/cache.ts";
import { createEmbedders } from "../../../../lib/search/embeddings/create-embedders.ts";
import type { Embedder } from "../../../../lib/search/embeddings/embedder.ts";
import { suite } from "../../../suite.ts";
import { brief, fakeClient } from "./fixture.ts";

const test = suite("embeddings: Titan");

const deadline = deadlineIn(20_000);

/** The embedder for a model id in the settings of `ext_embed_bedrock`, and the bodies that its model receives. */
function titan(model_id: string, answer: unknown = { embedding: [1, 0, 0], inputTextTokenCount: 1 }) {
  const client = fakeClient(() => answer);
  const settings = { name: "ext_embed_bedrock", revision: "main", concurrency: 2, model_id, dimension: 3 } as const;
  const embedders = createEmbedders([settings], {
    sagemaker: fakeClient(() => assert.unreachable()),
    bedrock: client,
    sparseModel: () => Promise.reject(new Error("no files")),
    cache: createEmbeddingCache(),
  });
  const bodies = (): unknown[] => client.calls.map(({ target, body }) => [target, body]);
  return { embedder: embedders.get("ext_embed_bedrock") as Embedder, bodies };
}

test("each text is a call of its own, in the order of the texts", async () => {
  const { embedder, bodies } = titan("amazon.titan-embed-text-v2:0");
  assert.equal(brief(await embedder.embedDocuments(["a", "b"], deadline)), ["dense", "dense"]);
  const rest = { dimensions: 3, normalize: true };
  assert.equal(bodies(), [
    ["amazon.titan-embed-text-v2:0", { inputText: "a", ...rest }],
    ["amazon.titan-embed-text-v2:0", { inputText: "b", ...rest }],
  ]);
});

test("version 1 has one dimension and takes no other field", async () => {
  const { embedder, bodies } = titan("amazon.titan-embed-text-v1");
  await embedder.embedQuery("a", deadline);
  assert.equal(bodies(), [["amazon.titan-embed-text-v1", { inputText: "a" }]]);
});

test("a long text is cut, since Titan refuses it", async () => {
  const { embedder, bodies } = titan("amazon.titan-embed-text-v1");
  await embedder.embedQuery("é".repeat(9_000), deadline);
  assert.equal(bodies(), [["amazon.titan-embed-text-v1", { inputText: "é".repeat(8_192) }]]);
});

test("an answer without a vector of the configured dimension is an error", async () => {
  const outcomes = async (answer: unknown) =>
    brief(await titan("amazon.titan-embed-text-v2:0", answer).embedder.embedDocuments(["a"], deadline));
  assert.match((await outcomes({ embedding: [1, 0] }))[0] ?? "", "2 dimensions, 3 are configured");
  assert.is((await outcomes({}))[0] === "dense", false);
});

test.run();

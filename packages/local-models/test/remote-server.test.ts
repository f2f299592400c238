import * as assert from "uvu/assert";
import { suite } from "../../../test/suite.ts";
import { connectRemoteServer, RemoteServerError } from "../remote-server.ts";
import { createModelStandIns } from "../stand-ins.ts";
import { startServer } from "./serve.ts";

const test = suite("a user's own embedding server");

/** A server of a model with 5 dimensions (or of a sparse one) behind the routes of the real one. */
const serve = () =>
  startServer(({ path, body }) => {
    if (path === "/tei/info") return { body: '{"model_id":"intfloat/e5-small"}' };
    const { inputs } = JSON.parse(body || "{}");
    const texts: string[] = Array.isArray(inputs) ? inputs : [inputs];
    if (texts.includes("busy")) return { status: 429, body: '{"error":"overloaded","error_type":"overloaded"}' };
    if (path === "/tei/embed") return { body: JSON.stringify(texts.map(() => [1, 0, 0, 0, 0])) };
    if (path === "/tei/embed_sparse") return { body: JSON.stringify(texts.map(() => [{ index: 7, value: 1 }])) };
    return { status: 404 };
  });

let server: Awaited<ReturnType<typeof serve>>;
test.before(async () => {
  server = await serve();
});
test.after(() => server.close());

const message = (promise: Promise<unknown>) =>
  promise.then(
    () => "connected",
    (error: unknown) => {
      assert.instance(error, RemoteServerError);
      return (error as Error).message;
    },
  );

test("takes the dimension from a probe, and the model's name from the server", async () => {
  const { dimension, modelId } = await connectRemoteServer(`${server.url}/tei`, "dense");
  assert.equal([dimension, modelId], [5, "intfloat/e5-small"]);
  assert.is((await connectRemoteServer(`${server.url}/tei/`, "sparse")).dimension, undefined);
});

test("distinguishes a missing server, a wrong path and a model of the other kind", async () => {
  assert.match(await message(connectRemoteServer("http://127.0.0.1:1", "dense")), /^no embedding server answers at /);
  assert.match(await message(connectRemoteServer(server.url, "dense")), /\/embed answered 404/);
  assert.match(await message(connectRemoteServer(server.url, "sparse")), /POOLING=splade/);
  const wrong = await startServer(() => ({ body: "[[{}]]" }));
  assert.match(await message(connectRemoteServer(wrong.url, "dense")), /does not answer with vectors/);
  assert.match(await message(connectRemoteServer(wrong.url, "sparse")), /does not answer with tokens/);
  await wrong.close();
});

test("lets the stand-ins forward to it, wrap its errors, and use its dimension", async () => {
  const dense = await connectRemoteServer(`${server.url}/tei`, "dense");
  const models = await createModelStandIns({
    modelOfEndpoint: () => "dense_large_en_v1_5",
    remote: { dense_large_en_v1_5: dense, ext_embed_english_v3: dense },
  });
  assert.equal(models.dimensions, {
    dense_large_en_v1_5: 5,
    ext_embed_english_v3: 5,
    ext_embed_multilingual_v3: 1_024,
  });
  const ask = async (path: string, body: unknown) => {
    const rest = { method: "POST", query: new URLSearchParams(), headers: {}, service: "", region: "" };
    const answer = await models.handle({ ...rest, path, body: Buffer.from(JSON.stringify(body)) });
    return { status: answer.status, body: JSON.parse(String(answer.body)) };
  };
  assert.equal((await ask("/endpoints/e/invocations", { inputs: ["a"] })).body, [[1, 0, 0, 0, 0]]);
  assert.is((await ask("/endpoints/e/invocations", { inputs: ["busy"] })).body.OriginalStatusCode, 429);
  const texts = new Array(70).fill("a");
  const { embeddings } = (await ask("/model/cohere.embed-english-v3/invoke", { texts, input_type: "search_query" }))
    .body;
  assert.is(embeddings.length, 70);
});

test("reports a server that has stopped as the model's 503", async () => {
  const gone = await serve();
  const remote = await connectRemoteServer(`${gone.url}/tei`, "dense");
  await gone.close();
  assert.is((await remote.invoke(Buffer.from('{"inputs":["a"]}'))).status, 503);
});

test.run();

import type { ProxyEvent } from "@relevance/lib/platform/http/event.ts";
import { createContext } from "@relevance/local-aws/api/service.ts";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { refuseNativeVectors } from "../../dev/knn-guard.ts";

const test = suite("guard against native vectors");

const guarded = refuseNativeVectors(async () => ({ statusCode: 200, body: "passed" }));

async function send(httpMethod: string, path: string, body: unknown) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const event = {
    httpMethod,
    path,
    body: Buffer.from(text).toString("base64"),
    isBase64Encoded: true,
    requestContext: { requestId: "r-1" },
  };
  return guarded(event as unknown as ProxyEvent, createContext("r-1", 1_000));
}

const mapping = (field: object) => ({
  mappings: { properties: { meaning: { type: "knn_vector", dimension: 3, ...field } } },
});
const NATIVE = mapping({ method: { engine: "faiss", name: "hnsw" } });

test("refuses a field of another engine, naming its path and what to use", async () => {
  const { statusCode, body } = await send("PUT", "/raw-backend/books", NATIVE);
  const { error } = JSON.parse(body);
  assert.equal([statusCode, error.code, error.request_id], [400, "invalid_request", "r-1"]);
  assert.is(error.issues[0].path, "mappings.properties.meaning");
  assert.match(error.message, /"engine": "lucene"/);
});

const REFUSED: Record<string, unknown> = {
  "without a method, where the cluster takes its default": mapping({}),
  "of a trained model": mapping({ model_id: "m" }),
  "of another engine deep in an object": {
    mappings: { properties: { a: { properties: NATIVE.mappings.properties } } },
  },
  "of another engine in a dynamic template": {
    mappings: { dynamic_templates: [{ vectors: { match: "*_v", mapping: { type: "knn_vector", dimension: 3 } } }] },
  },
};
for (const [what, body] of Object.entries(REFUSED)) {
  test(`refuses a field ${what}`, async () => assert.is((await send("PUT", "/raw-backend/b", body)).statusCode, 400));
}

const PATHS: [method: string, path: string][] = [
  ["POST", "/raw-backend/books"],
  ["PUT", "/raw-backend/books/"],
  ["PUT", "/raw-backend/books/_mapping"],
  ["POST", "/raw-backend/books/_mappings"],
  ["PUT", "/raw-backend/_index_template/vectors"],
  ["PUT", "/raw-backend/_component_template/vectors"],
  ["PUT", "/raw-backend/_template/vectors"],
  ["POST", "/raw-backend/books/_rollover/books-2"],
  ["PUT", "/raw-backend/books/%5Fmapping"],
];
for (const [method, path] of PATHS) {
  test(`refuses it in ${method} ${path}`, async () => assert.is((await send(method, path, NATIVE)).statusCode, 400));
}

test("allows the lucene engine", async () => {
  const lucene = mapping({ method: { engine: "lucene", name: "hnsw", space_type: "cosinesimil" } });
  assert.is((await send("PUT", "/raw-backend/books", lucene)).body, "passed");
});

test("allows documents and queries that only mention such fields", async () => {
  assert.is((await send("POST", "/raw-backend/books/_doc", NATIVE)).body, "passed");
  assert.is((await send("PUT", "/raw-backend/books/_doc/1", NATIVE)).body, "passed");
  assert.is((await send("POST", "/raw-backend/_bulk", `{"index":{}}\n${JSON.stringify(NATIVE)}\n`)).body, "passed");
  assert.is((await send("POST", "/raw-backend/books/_search", NATIVE)).body, "passed");
  assert.is((await send("POST", "/application/bulk", NATIVE)).body, "passed");
});

test("passes a body that is not JSON, and a path that cannot be decoded, to the cluster", async () => {
  assert.is((await send("PUT", "/raw-backend/books", '{"type":"knn_vector"')).body, "passed");
  assert.is((await send("PUT", "/raw-backend/%zz/_doc", NATIVE)).body, "passed");
});

test.run();

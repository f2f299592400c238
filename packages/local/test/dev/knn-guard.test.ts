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
test("refuses a field that the cluster keeps outside of the lucene engine", async () => {
  for (const [what, body] of Object.entries(REFUSED))
    assert.is((await send("PUT", "/raw-backend/b", body)).statusCode, 400, what);
});

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
test("refuses it wherever a mapping is sent", async () => {
  for (const [method, path] of PATHS) assert.is((await send(method, path, NATIVE)).statusCode, 400, path);
});

const LUCENE = mapping({ method: { engine: "lucene", name: "hnsw", space_type: "cosinesimil" } });
for (const [what, method, path, body] of [
  ["the lucene engine", "PUT", "books", LUCENE],
  ["documents that mention such fields", "POST", "books/_doc", NATIVE],
  ["documents that are replaced", "PUT", "books/_doc/1", NATIVE],
  ["lines of documents", "POST", "_bulk", `{"index":{}}\n${JSON.stringify(NATIVE)}\n`],
  ["queries", "POST", "books/_search", NATIVE],
  ["a body that is not JSON", "PUT", "books", '{"type":"knn_vector"'],
  ["a path that cannot be decoded", "PUT", "%zz/_doc", NATIVE],
] as const) {
  test(`passes ${what} to the cluster`, async () => {
    assert.is((await send(method, `/raw-backend/${path}`, body)).body, "passed");
  });
}

test("does not look at the gateway's own endpoints", async () => {
  assert.is((await send("POST", "/application/bulk", NATIVE)).body, "passed");
});

test.run();

import type { StandInAnswer } from "@relevance/local-aws/cloud/stand-in.ts";
import * as assert from "uvu/assert";
import { suite } from "../../../test/suite.ts";
import { createModelStandIns } from "../stand-ins.ts";

const test = suite("stand-in models");

const models = await createModelStandIns({
  modelOfEndpoint: (name) =>
    (({ sparse: "sparse_v3", dense: "dense_large_en_v1_5", reranker: "reranker" }) as const)[name],
});

test.before.each(() => models.control.reset());

const ask = (path: string, body: unknown, method = "POST") =>
  models.handle({
    method,
    path,
    query: new URLSearchParams(),
    headers: {},
    body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
    service: "",
    region: "eu-west-1",
  });

const dense = (body: unknown) => ask("/endpoints/dense/invocations", body);
const sparse = (body: unknown) => ask("/endpoints/sparse/invocations", body);
const cohere = (body: unknown) => ask("/model/cohere.embed-english-v3/invoke", body);

const read = ({ body = "" }: StandInAnswer) => JSON.parse(body.toString());
const errorOf = (answer: StandInAnswer) => [answer.status, answer.headers?.["x-amzn-errortype"]];
const originalOf = (answer: StandInAnswer) => [...errorOf(answer), read(answer).OriginalStatusCode];

test("returns equal vectors for equal texts, and others for another model", async () => {
  const [first, second] = read(await dense({ inputs: ["dragon", "dragon"] }));
  assert.equal(first, second);
  assert.not.equal(read(await cohere({ texts: ["dragon"], input_type: "search_query" })).embeddings[0], first);
});

test("treats one string as a list of one", async () => {
  assert.is(read(await dense({ inputs: "dragon" })).length, 1);
});

test("ignores the instruction of a query", async () => {
  const prefix = "Represent this sentence for searching relevant passages: ";
  const [plain, instructed] = read(await dense({ inputs: ["dragon", `${prefix}dragon`] }));
  assert.equal(instructed, plain);
});

test("returns a unit vector for a text without words, too", async () => {
  const [vector] = read(await dense({ inputs: [" "] }));
  assert.ok(Math.abs(Math.hypot(...vector) - 1) < 1e-6);
});

const ofBytes = (bytes: number) => `{"inputs":["${"a".repeat(bytes - 31)}"],"truncate":true}`;
const LONG = ["dragon ".repeat(511)];
for (const [what, body, original] of [
  ["33 inputs", { inputs: new Array(33).fill("a") }, 413],
  ["32 inputs", { inputs: new Array(32).fill("a") }, undefined],
  ["a body of 2,000,001 bytes", ofBytes(2_000_001), 413],
  ["a body of 2,000,000 bytes", ofBytes(2_000_000), undefined],
  ["a text over 512 tokens", { inputs: LONG }, 413],
  ["a text over 512 tokens that may be truncated", { inputs: LONG, truncate: true }, undefined],
  ["no inputs", { inputs: [] }, 400],
  ["an empty input", { inputs: ["a", ""] }, 413],
  ["half a surrogate pair", '{"inputs":["\\ud83d"]}', 422],
  ["no JSON", "{", 422],
  ["another member", {}, 422],
] as const) {
  test(`${original ? "refuses" : "takes"} ${what}, as the model does`, async () => {
    const answer = await dense(body);
    if (original) assert.equal(originalOf(answer), [424, "ModelError", original]);
    else assert.is(answer.status, 200);
  });
}

test("refuses a body over 6 MiB as SageMaker does", async () => {
  assert.equal(errorOf(await dense("x".repeat(6_291_457))), [413, "ValidationError"]);
});

test("returns special tokens too, and ids without text, in a sparse response, as the server does", async () => {
  const [entries] = read(await sparse({ inputs: ["dragon"] }));
  assert.equal(entries.map(({ index }: { index: number }) => index).slice(0, 2), [101, 102]);
  assert.equal(Object.keys(entries[2]), ["index", "value"]);
  assert.ok(entries[2].value > 0);
});

test("reports a missing endpoint or model with SageMaker's or Bedrock's error", async () => {
  assert.equal(errorOf(await ask("/endpoints/other/invocations", {})), [400, "ValidationError"]);
  assert.equal(errorOf(await ask("/model/other/invoke", {})), [400, "ValidationException"]);
  assert.equal(errorOf(await ask("/other", {})), [404, "UnknownOperationException"]);
});

const texts = (count: number, length: number) => ({
  ...{ texts: new Array(count).fill("a".repeat(length)), input_type: "search_document" },
});
for (const [what, body, isTaken] of [
  ["96 texts", texts(96, 10), true],
  ["97 texts", texts(97, 10), false],
  ["a text of 2,048 characters", texts(1, 2_048), true],
  ["a text of 2,049 characters", texts(1, 2_049), false],
  ["no input type", { texts: ["a"] }, false],
  ["an unknown input type", { texts: ["a"], input_type: "x" }, false],
  ["no texts", { input_type: "search_query" }, false],
] as const) {
  test(`Cohere ${isTaken ? "takes" : "refuses"} ${what}`, async () => {
    const answer = await cohere(body);
    if (isTaken) assert.is(answer.status, 200);
    else assert.equal(errorOf(answer), [400, "ValidationException"]);
  });
}

test("Cohere returns embeddings by type when requested", async () => {
  const answer = read(await cohere({ texts: ["a"], input_type: "search_query", embedding_types: ["float"] }));
  assert.is(answer.embeddings.float[0].length, 1_024);
  assert.is(answer.response_type, "embeddings_by_type");
});

test("the control counts calls, and keeps the texts of successful ones only", async () => {
  models.control.setFaults("ext_embed_english_v3", [{ kind: "throttle", every: 2 }]);
  for (const text of ["a", "b", "c"]) await cohere({ texts: [text], input_type: "search_query" });
  assert.equal(models.control.counts("ext_embed_english_v3"), { calls: 3, succeeded: 2, peak: 1 });
  assert.equal(models.control.served("ext_embed_english_v3"), [
    { texts: ["a"], inputType: "search_query" },
    { texts: ["c"], inputType: "search_query" },
  ]);
});

test("breaks an answer as told, which is no successful call", async () => {
  const broken = async (fault: Parameters<typeof models.control.setFaults>[1][number]) => {
    models.control.setFaults("dense_large_en_v1_5", [fault]);
    return String((await dense({ inputs: ["a", "b"] })).body);
  };
  assert.is(JSON.parse(await broken({ kind: "nan" }))[0][0], null);
  assert.is(JSON.parse(await broken({ kind: "dimension", dimension: 8 }))[0].length, 8);
  assert.is(JSON.parse(await broken({ kind: "too_few" })).length, 1);
  const text = await broken({ kind: "not_json" });
  assert.throws(() => JSON.parse(text));
  assert.is(models.control.counts("dense_large_en_v1_5").succeeded, 0);
  models.control.setFaults("sparse_v3", [{ kind: "nan" }]);
  assert.is(read(await sparse({ inputs: ["a"] }))[0][0].value, null);
});

test("ends a fault for the first calls by itself, and applies a fault for a text only to that text", async () => {
  models.control.setFaults("dense_large_en_v1_5", [{ kind: "status", status: 503, first: 1 }]);
  assert.equal(originalOf(await dense({ inputs: ["a"] })), [424, "ModelError", 503]);
  assert.is((await dense({ inputs: ["a"] })).status, 200);
  models.control.setFaults("dense_large_en_v1_5", [{ kind: "status", status: 422, containing: "bad" }]);
  assert.is((await dense({ inputs: ["good"] })).status, 200);
  assert.equal(originalOf(await dense({ inputs: ["good", "a bad one"] })), [424, "ModelError", 422]);
});

test("answers a hanging call when the faults end", async () => {
  models.control.setFaults("dense_large_en_v1_5", [{ kind: "hang" }]);
  const answer = dense({ inputs: ["a"] });
  models.control.setFaults("dense_large_en_v1_5", []);
  assert.is((await answer).status, 200);
});

const QUERY = "red lamp";
const TEXTS = ["a table", "a red lamp", "a lamp"];
const rerank = (body: unknown) => ask("/endpoints/reranker/invocations", body);
const cohereRerank = (body: unknown) => ask("/model/cohere.rerank-v3-5%3A0/invoke", body);
const amazonRerank = (body: unknown) => ask("/model/amazon.rerank-v1%3A0/invoke", body);

test("rerankers score the share of the query's words, best first", async () => {
  const [best, ...others] = read(await rerank({ query: QUERY, texts: TEXTS, truncate: true }));
  assert.equal(
    [best, ...others],
    [
      { index: 1, score: 1 },
      { index: 2, score: 0.5 },
      { index: 0, score: 0 },
    ],
  );
  const results = [{ index: 1, relevance_score: 1 }];
  const body = { query: QUERY, documents: TEXTS, top_n: 1 };
  assert.equal(read(await cohereRerank({ ...body, api_version: 2 })).results, results);
  assert.equal(read(await amazonRerank(body)).results, results);
});

for (const [what, body, expected] of [
  ["33 texts", { query: QUERY, texts: new Array(33).fill("a") }, 413],
  ["no texts", { query: QUERY, texts: [] }, 400],
  ["no query", { texts: ["a"] }, 422],
  ["a text that is none", { query: QUERY, texts: [1] }, 422],
  ["more tokens than it reads, unless it may truncate", { query: QUERY, texts: ["a ".repeat(600)] }, 413],
] as const) {
  test(`a reranker of an endpoint refuses ${what}`, async () => {
    assert.equal(originalOf(await rerank(body)), [424, "ModelError", expected]);
  });
}

const COHERE = { query: QUERY, documents: ["a"], api_version: 2 };
for (const [what, send, body] of [
  ["no version for Cohere", cohereRerank, { ...COHERE, api_version: undefined }],
  ["a version for Amazon", amazonRerank, COHERE],
  ["an unknown key", cohereRerank, { ...COHERE, texts: ["a"] }],
  ["an empty document", cohereRerank, { ...COHERE, documents: [""] }],
  ["no documents", cohereRerank, { ...COHERE, documents: [] }],
  ["1,001 documents", cohereRerank, { ...COHERE, documents: new Array(1_001).fill("a") }],
  ["no query", cohereRerank, { ...COHERE, query: "" }],
  ["top_n of 0", cohereRerank, { ...COHERE, top_n: 0 }],
] as const) {
  test(`a reranker of Bedrock refuses ${what}`, async () => {
    assert.equal(errorOf(await send(body)), [400, "ValidationException"]);
  });
}

test.run();

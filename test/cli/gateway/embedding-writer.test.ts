import * as assert from "uvu/assert";
import { embeddingWriter, refuseDegraded } from "../../../cli/gateway/embedding-writer.ts";
import { createPace } from "../../../lib/search/index/rebuild/pace.ts";
import { createRunCalls } from "../../../lib/search/index/rebuild/run-calls.ts";
import type { Cluster } from "../../../lib/search/opensearch/cluster.ts";
import { suite } from "../../suite.ts";

const test = suite("writer of re-embedded copies");

const COPY = { id: "a", version: 2n ** 40n + 3n, source: '{"n":1.0}' };

/** Writes copies to a gateway that returns these answers in turn. */
async function write(answers: Array<object | [status: number, body?: object]>, copies = [COPY]) {
  const sent: string[] = [];
  const waits: number[] = [];
  const pace = createPace(4);
  const cluster: Cluster = {
    async send({ body }) {
      sent.push(String(body));
      const answer = answers[sent.length - 1] ?? {};
      const [status, content] = Array.isArray(answer) ? answer : [200, answer];
      return { status, headers: {}, body: Buffer.from(content === undefined ? "" : JSON.stringify(content)) };
    },
  };
  const calls = createRunCalls({ cluster, pace, wait: async (ms) => waits.push(ms) });
  const outcomes = await embeddingWriter(calls)("target", refuseDegraded)(copies);
  return { outcomes, sent, waits, pace };
}

const item = (status: number, error?: object) => ({
  index_response: { items: [{ index: { status, ...(error && { error }) } }] },
});

test("sends the text of a document as it is, with its version", async () => {
  const { outcomes, sent } = await write([item(201)]);
  assert.equal(outcomes, [{ kind: "written" }]);
  const operation = '{"id":"a","op":"index","version":1099511627779,"version_type":"external","doc":{"n":1.0}}';
  assert.equal(sent, [`{"index":"target","bulk_request":[${operation}]}`]);
});

test("retries documents that failed on a busy model, and treats a conflict as an existing copy", async () => {
  const busy = item(503, { type: "embedding_failed", reason: "busy", retryable: true });
  const { outcomes, waits } = await write([busy, item(409, { type: "conflict", reason: "", retryable: true })]);
  assert.equal(outcomes, [{ kind: "unchanged" }]);
  assert.is(waits.length, 1, "not at once, but when the model has had time");
});

const PAUSED = item(503, { type: "embedding_failed", reason: "the model is paused", retryable: true });
const NO_INDEX: [number, object] = [400, { error: { issues: [{ path: "index", message: "does not exist" }] } }];
for (const [what, answers, message, copies] of [
  [
    "when the gateway stores documents without their vectors",
    [{ ...item(201), degraded: [{ reason: "another model" }] }],
    "did not embed documents (another model). Deploy this configuration",
  ],
  ["when a model stays busy", new Array(100).fill(PAUSED), "cannot store documents now: the model is paused"],
  ["when the index is the problem", [NO_INDEX], "index does not exist"],
  ["at a version that the endpoint would round", [item(201)], "above 2^53", [{ ...COPY, version: 2n ** 53n }]],
] as [string, object[], string, (typeof COPY)[]?][]) {
  test(`stops ${what}`, async () => {
    const error = await write(answers, copies).catch((thrown: unknown) => thrown);
    assert.match(String(error), message);
  });
}

test("splits a request that one document makes invalid, and rejects only that document", async () => {
  const bad: [number, object] = [
    400,
    { error: { message: "invalid", issues: [{ path: "bulk_request.0", message: "no" }] } },
  ];
  const copies = ["a", "b", "c"].map((id) => ({ ...COPY, id }));
  const two = { index_response: { items: [{ index: { status: 201 } }, { index: { status: 201 } }] } };
  const { outcomes } = await write([bad, two, bad], copies);
  assert.equal(outcomes, [{ kind: "written" }, { kind: "written" }, { kind: "rejected", reason: "bulk_request.0 no" }]);
});

test("says why a document is rejected, whoever refuses it and however briefly", async () => {
  const reasons = [];
  for (const refusal of [[413], [413, { message: "Request Too Long" }], [400, { message: "Invalid body" }]] as const) {
    const { outcomes } = await write([[...refusal]]);
    reasons.push(...outcomes.flatMap((one) => (one.kind === "rejected" ? one.reason : [])));
  }
  const tooLarge = "payload_too_large: the document is over the limit for one request";
  assert.equal(reasons, [tooLarge, tooLarge, "Invalid body"]);
});

test("splits documents so that each request stays below the gateway's limit", async () => {
  const source = `{"text":"${"x".repeat(2 * 1024 * 1024)}"}`;
  const { sent } = await write(
    [item(201), item(201)],
    [COPY, COPY].map((copy) => ({ ...copy, source })),
  );
  assert.is(sent.length, 2);
});

test.run();

import * as assert from "uvu/assert";
import { embeddingWriter } from "../../../cli/gateway/embedding-writer.ts";
import { suite } from "../../suite.ts";

const test = suite("writer of copies that are embedded anew");

const COPY = { id: "a", seqNo: 3, version: 2n ** 40n + 3n, source: '{"n":1.0}' };

/** Writes one copy to a gateway that gives these answers, one after the other. */
async function write(answers: object[], copy = COPY) {
  const sent: string[] = [];
  const writer = embeddingWriter({
    async post(_path, body) {
      sent.push(String(body));
      return { body: answers[sent.length - 1], headers: new Headers(), milliseconds: 0 };
    },
  });
  return { outcomes: await writer("target")([copy]), sent };
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

test("sends again what a busy model failed, and takes a conflict for a copy that is there", async () => {
  const busy = item(503, { type: "embedding_failed", reason: "busy", retryable: true });
  assert.equal((await write([busy, item(409, { type: "conflict", reason: "", retryable: true })])).outcomes, [
    { kind: "unchanged" },
  ]);
});

test("stops when the gateway stores documents without their vectors", async () => {
  try {
    await write([{ ...item(201), degraded: [{ reason: "another model" }] }]);
    assert.unreachable();
  } catch (error) {
    assert.match((error as Error).message, "did not embed documents (another model). Deploy this configuration");
  }
});

test("rejects a version that the endpoint would round", async () => {
  try {
    await write([item(201)], { ...COPY, version: 2n ** 53n });
    assert.unreachable();
  } catch (error) {
    assert.match((error as Error).message, "above 2^53");
  }
});

test.run();

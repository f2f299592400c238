import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import {
  ConnectionError,
  ForbiddenError,
  InvalidRequestError,
  NotFoundError,
  OutcomeUnknownError,
  RelevanceError,
  ThrottledError,
  UnavailableError,
} from "../src/errors.ts";
import { Relevance } from "../src/relevance.ts";
import { failure, type Reply, serve } from "./server.ts";

const test = suite("calls of the TypeScript client");

const SEARCH = { index: "books", search_request: { query: { match_all: {} } } };
const BULK = { index: "books", bulk_request: [{ id: "b1", op: "delete" as const }] };

/** Makes one call against a server, without pauses. Returns what it resolved or threw, the requests, and the pauses. */
async function against(replies: readonly Reply[], call: (client: Relevance) => Promise<unknown>) {
  const server = await serve((_asked, count) => replies[count - 1] ?? { status: 200, body: { done: true } });
  const pauses: number[] = [];
  const client = new Relevance({
    url: `${server.url}/`,
    key: "k1",
    pause: async (ms) => {
      pauses.push(ms);
    },
  });
  const outcome = await call(client).catch((error: unknown) => error);
  await server.stop();
  return { outcome, asked: server.asked, pauses };
}

test("sends the key and the request, and returns the answer", async () => {
  const { outcome, asked } = await against([], (client) => client.search(SEARCH));
  assert.equal(outcome, { done: true });
  assert.equal(asked, [{ method: "POST", path: "/application/search", key: "k1", body: SEARCH }]);
});

for (const [code, status, kind] of [
  ["invalid_request", 400, InvalidRequestError],
  ["forbidden", 403, ForbiddenError],
  ["index_not_found", 404, NotFoundError],
  ["internal", 500, RelevanceError],
] as const) {
  test(`${code} is ${kind.name}, and is not repeated`, async () => {
    const { outcome, asked } = await against([failure(status, code)], (client) => client.search(SEARCH));
    assert.ok(outcome instanceof kind);
    const { name, message, issues, requestId } = outcome as RelevanceError;
    assert.equal([name, message, requestId], [kind.name, `no: ${code} (${status} ${code})`, "r1"]);
    assert.equal(issues, [{ path: "index", message: "is empty" }]);
    assert.is(asked.length, 1);
  });
}

for (const [code, status, kind] of [
  ["throttled", 429, ThrottledError],
  ["upstream_failed", 502, UnavailableError],
  ["upstream_unavailable", 503, UnavailableError],
  ["timeout", 504, UnavailableError],
] as const) {
  test(`${code} is repeated for reads and writes, as nothing was done, at most three times`, async () => {
    for (const call of [(client: Relevance) => client.search(SEARCH), (client: Relevance) => client.bulk(BULK)]) {
      const once = await against([failure(status, code)], call);
      assert.equal([once.outcome, once.asked.length], [{ done: true }, 2]);
      const always = await against(Array(9).fill(failure(status, code)), call);
      assert.ok(always.outcome instanceof kind);
      assert.is(always.asked.length, 4);
    }
  });
}

test("waits as long as the service says", async () => {
  const { pauses } = await against([failure(429, "throttled", { "retry-after": "2" })], (client) =>
    client.search(SEARCH),
  );
  assert.equal(pauses, [2_000]);
});

test("a lost answer is repeated for a read and never for a write", async () => {
  const read = await against(["lost"], (client) => client.search(SEARCH));
  assert.equal([read.outcome, read.asked.length], [{ done: true }, 2]);
  for (const call of [
    (client: Relevance) => client.bulk(BULK),
    (client: Relevance) => client.logEvent({ events: [] }),
    (client: Relevance) => client.raw("POST", "/books/_doc", { body: {} }),
  ]) {
    const write = await against(["lost"], call);
    assert.ok(write.outcome instanceof ConnectionError);
    assert.is(write.asked.length, 1);
  }
});

test("outcome_unknown is repeated for a read and never for a write", async () => {
  const unknown = failure(500, "outcome_unknown");
  assert.is((await against([unknown], (client) => client.hybridSearch(SEARCH as never))).asked.length, 2);
  const write = await against([unknown], (client) => client.bulk(BULK));
  assert.ok(write.outcome instanceof OutcomeUnknownError);
  assert.is(write.asked.length, 1);
});

test("an answer that is not the service's is an unexpected one", async () => {
  const { outcome } = await against([{ status: 403, body: { message: "Forbidden" } }], (client) =>
    client.search(SEARCH),
  );
  const { code, message } = outcome as RelevanceError;
  assert.equal([code, message], ["unexpected_answer", "the service answered 403 (403 unexpected_answer)"]);
});

test("a call ends when its signal does, and is not repeated", async () => {
  const gaveUp = new Error("gave up");
  const aborted = AbortSignal.abort(gaveUp);
  const { outcome, asked } = await against([], (client) => client.search(SEARCH, { signal: aborted }));
  assert.is(outcome, gaveUp);
  assert.is(asked.length, 0);
});

test.run();

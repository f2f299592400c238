import * as assert from "uvu/assert";
import type { Reply } from "../../../../lib/platform/http/event.ts";
import { MAX_RESULT_BYTES } from "../../../../lib/platform/http/middleware.ts";
import type { GatewayServices } from "../../../../lib/search/gateway/services.ts";
import { multiSearch } from "../../../../lib/search/run/multi-search.ts";
import { suite } from "../../../suite.ts";

const test = suite("several searches in one request");

/** Answers searches with texts of quotes of these lengths. Returns the statuses, the response and how many were sent. */
async function answered(lengths: readonly number[], headers: Record<string, string> = {}) {
  let sent = 0;
  const one = async (call: { body: unknown }): Promise<Reply> => {
    sent += 1;
    const { user_query } = call.body as { user_query: string };
    return { status: 200, headers: { "x-query-id": "q" }, body: JSON.stringify('"'.repeat(Number(user_query))) };
  };
  const services = {
    api: { report: () => {}, log: () => {} },
    settings: { templates: [{ name: "t", search_request_template: { query: { match_all: {} } }, params: {} }] },
  } as unknown as GatewayServices;
  const body = { searches: lengths.map((length) => ({ template: "t", user_query: String(length) })) };
  const call = {
    ...{ requestId: "r", headers, body, text: JSON.stringify(body) },
    caller: { name: "default", endpoints: ["search", "hybrid-search"] },
    deadline: { remaining: () => 1_000 },
  } as unknown as Parameters<typeof multiSearch>[2];
  const reply = await multiSearch(services, { search: async () => one, "hybrid-search": async () => one }, call);
  const { results } = JSON.parse(String(reply.body)) as {
    results: { status: number; error?: { code: string; message: string } }[];
  };
  const messages = new Set(results.flatMap(({ error }) => error?.message ?? []));
  return { reply, sent, messages, ended: results.map(({ status, error }) => error?.code ?? status) };
}

const LARGE = 600_000;

test("answers those that fit into one response, also behind others that do not", async () => {
  const { ended, reply, sent, messages } = await answered([...Array.from({ length: 12 }, () => LARGE), 1]);
  // Each quote is four characters of the response: two by the answer, four as a part of a text.
  const fit = Math.floor(MAX_RESULT_BYTES / (LARGE * 4));
  assert.equal(ended.slice(0, fit), Array(fit).fill(200));
  assert.equal(new Set(ended.slice(fit, 12)), new Set(["response_too_large"]));
  assert.equal(messages, new Set(["One response cannot hold this answer beside the other answers."]));
  assert.ok(Buffer.byteLength(JSON.stringify({ body: reply.body, headers: {} })) <= MAX_RESULT_BYTES);
  assert.equal([ended[12], sent], [200, 13]);
});

test("does not send searches when the response is full", async () => {
  // As a part of a text, the quotes around an answer and those around the text are six characters.
  const quotes = (MAX_RESULT_BYTES - 65_536 - 2 * 6) / 4;
  assert.ok(Number.isInteger(quotes));
  const full = [LARGE, quotes - LARGE];
  const { ended, sent, messages } = await answered([...full, ...Array.from({ length: 12 }, () => 1)]);
  assert.equal(ended, [200, 200, ...Array(12).fill("response_too_large")]);
  // Those that ran beside them were sent.
  assert.is(sent, 5);
  assert.ok(messages.has("The other answers have used up what one response can hold."));
});

test("answers more of them to a caller that reads compressed responses", async () => {
  const { ended, sent } = await answered([...Array.from({ length: 12 }, () => LARGE), 1], {
    "accept-encoding": "gzip",
  });
  assert.equal([new Set(ended), sent], [new Set([200]), 13]);
});

test.run();

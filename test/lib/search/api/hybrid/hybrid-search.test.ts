import * as assert from "uvu/assert";
import { depthDegradation } from "../../../../../lib/search/api/hybrid/hybrid-search.ts";
import type { SearchAnswer } from "../../../../../lib/search/api/search/answer.ts";
import { suite } from "../../../../suite.ts";

const test = suite("lib/search/api/hybrid/hybrid-search");

const answer = (hits: number, total: SearchAnswer["total"], partial: SearchAnswer["partial"] = []): SearchAnswer => ({
  text: "{}",
  hits: Array.from({ length: hits }, (_, id) => ({ _id: String(id), _score: 1 })),
  total,
  partial,
});
const exactly = (value: number) => ({ value, relation: "eq" as const });
const stages = (...args: Parameters<typeof depthDegradation>) => depthDegradation(...args).map(({ stage }) => stage);

test("a full page, and one that ends with the last match, are not degraded", () => {
  assert.equal(stages(answer(10, exactly(500)), { from: 0, size: 10 }), []);
  assert.equal(stages(answer(3, exactly(13)), { from: 10, size: 10 }), []);
});

test("a short page says that more documents match", () => {
  assert.equal(stages(answer(3, exactly(500)), { from: 90, size: 10 }), ["depth"]);
  assert.equal(stages(answer(3, { value: 10, relation: "gte" }), { from: 90, size: 10 }), ["depth"]);
});

test("an empty page past the list says that more matches are unknown when totals are not tracked", () => {
  const [only] = depthDegradation(answer(0, null), { from: 300, size: 10 });
  assert.is(only?.stage, "depth");
  assert.is(only?.effect, "it is unknown whether more documents match");
  assert.equal(stages(answer(0, null), { from: 0, size: 10 }), []);
});

test("a short page of a partial answer adds no reason of its own", () => {
  const shards = { stage: "shards", target: "search_response", reason: "", effect: "" } as const;
  assert.equal(stages(answer(3, exactly(500), [shards]), { from: 0, size: 10 }), []);
});

test.run();

import * as assert from "uvu/assert";
import { capabilitiesOf } from "../../../../../lib/search/opensearch/capabilities-of.ts";
import type { SearchAnswer } from "../../../../../lib/search/page/answer.ts";
import { depthDegradation, versionDegradations } from "../../../../../lib/search/sources/hybrid/fused-pages.ts";
import { suite } from "../../../../suite.ts";

const test = suite("lib/search/sources/hybrid/fused-pages");

const answer = (hits: number, total: SearchAnswer["total"], partial: SearchAnswer["partial"] = []): SearchAnswer => ({
  text: "{}",
  hits: Array.from({ length: hits }, (_, id) => ({ _id: String(id), _score: 1 })),
  total,
  partial,
});
const page = (from: number, size: number, native: Record<string, unknown> = {}) => ({
  page: { from, size },
  depth: 100,
  native,
});
const exactly = (value: number) => ({ value, relation: "eq" as const });
const stages = (...args: Parameters<typeof depthDegradation>) => depthDegradation(...args).map(({ stage }) => stage);

test("a full page, and one that ends with the last match, are not degraded", () => {
  assert.equal(stages(answer(10, exactly(500)), page(0, 10)), []);
  assert.equal(stages(answer(3, exactly(13)), page(10, 10)), []);
});

test("a short page says that more documents match", () => {
  assert.equal(stages(answer(3, exactly(500)), page(90, 10)), ["depth"]);
  assert.equal(stages(answer(3, { value: 10, relation: "gte" }), page(90, 10)), ["depth"]);
});

test("a short page says nothing if every match is among the candidates, or unknown if groups or a cursor shorten it", () => {
  const grouped = page(0, 10, { collapse: { field: "genre" } });
  assert.equal(stages(answer(3, exactly(100)), grouped), []);
  const [only] = depthDegradation(answer(3, exactly(101)), grouped);
  assert.match(only?.effect ?? "", /^it is unknown/);
  assert.equal(stages(answer(3, exactly(12)), page(0, 10, { search_after: [2008] })), []);
});

test("an empty page past the list says that more matches are unknown when totals are not tracked", () => {
  const [only] = depthDegradation(answer(0, null), page(300, 10));
  assert.is(only?.stage, "depth");
  assert.is(only?.effect, "it is unknown whether more documents match");
  assert.equal(stages(answer(0, null), page(0, 10)), []);
});

test("a short page of a partial answer adds no reason of its own", () => {
  const shards = { stage: "shards", target: "search_response", reason: "", effect: "" } as const;
  assert.equal(stages(answer(3, exactly(500), [shards]), page(0, 10)), []);
});

test("what a version cannot do is told only to those who ask for it", () => {
  const asked = { explain: true, profile: true, collapse: { field: "genre" } };
  const told = (version: string, native: object, isExplained = true) =>
    versionDegradations({ ...native }, capabilitiesOf(version), { isExplained }).map(({ stage }) => stage);
  assert.equal(told("2.19.6", asked), ["profile", "collapse"]);
  assert.equal(told("3.6.0", asked), []);
  assert.equal(told("3.6.0", asked, false), ["explanation"]);
  assert.equal(told("2.19.6", {}, false), []);
});

test.run();

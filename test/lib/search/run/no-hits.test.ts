import * as assert from "uvu/assert";
import { deadlineIn } from "../../../../lib/platform/resilience/deadline.ts";
import { NoPlaceForText } from "../../../../lib/search/queries/replace-text.ts";
import { withOtherText } from "../../../../lib/search/run/no-hits.ts";
import { suite } from "../../../suite.ts";

const test = suite("a search without hits");

type Given = Parameters<typeof withOtherText>;

/** A search of an index with one suggestion, which the cluster finds in time or not. */
function world({ timed_out = false } = {}) {
  const found = {
    took: 1,
    timed_out,
    _shards: { total: 1, successful: 1, failed: 0 },
    hits: {
      total: { value: 1, relation: "eq" },
      hits: timed_out ? [] : [{ _id: "1", _source: { text: "harry potter" } }],
    },
  };
  let calls = 0;
  const services = {
    settings: { indexes: [{ index: "books", suggest: { titles: { field: "title" }, never: [] } }], logging: {} },
    cluster: {
      async send() {
        calls += 1;
        return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(found)) };
      },
    },
  } as unknown as Given[0];
  const call = {
    body: { index: "books", no_hits: "search" },
    caller: { endpoints: ["search", "suggest"] },
    deadline: deadlineIn(10_000),
  } as unknown as Given[1];
  const first = {
    userQuery: "hary poter",
    answer: { hits: [], total: { value: 0 }, partial: [] },
    stages: [],
    degraded: [],
  } as unknown as Given[2];
  return { services, call, first, calls: () => calls };
}

test("looks for no other text if a subquery was left out, which may have found something", async () => {
  const { services, call, first, calls } = world();
  const degraded = [{ stage: "embedding", target: "text_dense", reason: "unavailable", effect: "left out" }] as const;
  const left = { ...first, degraded };
  const unexpected = () => Promise.reject(new Error("searched for another text"));
  assert.is(await withOtherText(services, call, left, unexpected), left);
  assert.is(calls(), 0);
});

test("tells that no other text was found in time, rather than that there is none", async () => {
  const { services, call, first } = world({ timed_out: true });
  const { didYouMean, degraded } = await withOtherText(services, call, first, () => Promise.reject(new Error("none")));
  assert.is(didYouMean, undefined);
  assert.equal(
    degraded.map(({ stage, reason }) => [stage, reason]),
    [["suggestions", "suggestions cannot be read: the time that the search may take in the cluster ended"]],
  );
});

for (const [failure, said] of [
  [new Error("the model does not answer"), "the search for the other text failed"],
  [new NoPlaceForText("shop"), 'the template "shop" has neither [search_query] nor a parameter with role: query'],
] as const) {
  test(`tells the other text if it cannot be searched for, and why: ${said}`, async () => {
    const { services, call, first } = world();
    const { didYouMean, degraded } = await withOtherText(services, call, first, () => Promise.reject(failure));
    assert.equal(didYouMean, { text: "harry potter", left_out: [], is_searched: false });
    assert.equal(
      degraded.map(({ stage, reason }) => [stage, reason]),
      [["suggestions", said]],
    );
  });
}

test.run();

import * as assert from "uvu/assert";
import { deadlineIn } from "../../../../lib/platform/resilience/deadline.ts";
import { applied } from "../../../../lib/search/page/apply.ts";
import { type Change, type Stage, StageError } from "../../../../lib/search/page/stage.ts";
import { suite } from "../../../suite.ts";

const test = suite("one stage of a page");

const entries = ["a", "b", "c"].map((_id) => ({ hit: { _index: "books", _id, _score: 1 }, text: `{"_id":"${_id}"}` }));

/** Applies a stage that answers so to a window of three hits. */
const played = (run: () => Change, change: Partial<Stage> = {}) => {
  const stage: Stage = {
    name: "rerank",
    window: 3,
    budgetMs: 1_000,
    effect: "reorders",
    lost: "",
    told: true,
    run: async () => run(),
    ...change,
  };
  return applied(stage, { entries, taken: new Map() }, deadlineIn(2_000));
};
const idsOf = ({ window }: Awaited<ReturnType<typeof applied>>) => window.entries.map(({ hit }) => hit._id).join("");

test("gives the hits their new order, and says which have moved", async () => {
  const { report, failure, ...after } = await played(() => ({ order: [2, 1, 0] }));
  assert.equal([idsOf({ report, ...after }), report.moved, report.failed, failure], ["cba", 2, false, undefined]);
});

const OTHER = "it answered with something other than an order of its hits";
for (const [what, run, reason] of [
  ["fails for a reason of its own", () => Promise.reject(new StageError("the model is down")), "the model is down"],
  ["fails for another reason, which is not told", () => Promise.reject(new Error("secret")), "the stage rerank failed"],
  ["loses a hit", () => ({ order: [0, 1] }), OTHER],
  ["has a hit twice", () => ({ order: [0, 1, 1] }), OTHER],
  ["has a score for not all of them", () => ({ order: [2, 1, 0], scores: [1, 2] }), OTHER],
  ["adds a hit, which it may not", () => ({ order: [0, 1, 2, entries[0]] }), OTHER],
] as const) {
  test(`a stage that ${what} leaves the window as it was`, async () => {
    const after = await played(run as () => Change);
    assert.equal([idsOf(after), after.report.failed, after.failure, after.moves.size], ["abc", true, reason, 0]);
  });
}

test.run();

import * as assert from "uvu/assert";
import { type GateInput, gate, type Measured, measureOf } from "../../../../lib/recommendation/training/gate.ts";
import { suite } from "../../../suite.ts";
import { onlyUsers } from "./settings.ts";

const test = suite("metric gate");

const MEASURE = { log_lookback_days: "90" };
const at = (ndcg: number): Measured => ({ ndcg, measure: MEASURE });

/** A million users, so that chance explains almost no difference. */
const judge = (change: Partial<GateInput>) =>
  gate({
    candidate: at(0.5),
    active: at(0.5),
    users: 1_000_000,
    tolerance: 0.1,
    strict: false,
    heldBefore: 0,
    ...change,
  });
const decide = (change: Partial<GateInput>) => judge(change).switch;

test("switches to the first version, and to one without a metric", () => {
  assert.equal(
    [decide({ active: undefined, candidate: at(0) }), decide({ candidate: { measure: MEASURE } })],
    [true, true],
  );
});

test("the configured tolerance is relative to the active version and inclusive", () => {
  assert.equal(
    [decide({ candidate: at(0.45) }), decide({ candidate: at(0.4499) }), decide({ candidate: at(0.6) })],
    [true, false, true],
  );
  assert.is(decide({ active: at(0.05), candidate: at(0.03) }), false);
});

test("treats a drop within 2·√(2m(1−m)/n) as chance, with a tenth of the users as n", () => {
  // n = 100, m = 0.5: 2·√(0.5/100) = 0.1414.
  const of = (ndcg: number) => decide({ users: 1_000, candidate: at(ndcg), tolerance: 0 });
  assert.equal([of(0.3587), of(0.3585)], [true, false]);
});

test("the larger of the two tolerances decides", () => {
  assert.is(decide({ users: 1_000, candidate: at(0.26), tolerance: 0.5 }), true);
  assert.is(decide({ users: 1_000, candidate: at(0.37), tolerance: 0.01 }), true);
});

test("holds back under 5 % of 2,000 pairs of equally good models, and over 20 % by the tolerance alone", () => {
  const next = random(7);
  // NDCG of one test user: 1 for a hit, else 0, which has the largest variance.
  const mean = 0.1;
  const measured = (users: number) => {
    let hits = 0;
    for (let user = 0; user < users; user += 1) if (next() < mean) hits += 1;
    return at(hits / users);
  };
  const counts = { held: 0, byToleranceAlone: 0 };
  for (let round = 0; round < 2_000; round += 1) {
    const [active, candidate] = [measured(200), measured(200)];
    if (!decide({ users: 2_000, active, candidate })) counts.held += 1;
    if (!decide({ active, candidate })) counts.byToleranceAlone += 1;
  }
  assert.ok(counts.held < 100, `${counts.held}`);
  assert.ok(counts.byToleranceAlone > 400, `${counts.byToleranceAlone}`);
});

test("does not compare versions that were measured on different events, and names the settings that differ", () => {
  const active = { ndcg: 0.1001, measure: { ...MEASURE, target_event_type: "view" } };
  const candidate = { ndcg: 0.0848, measure: { log_lookback_days: "30", event_value_threshold: "4" } };
  assert.equal(judge({ active, candidate, strict: true }), {
    switch: true,
    reason:
      "not compared with the active version, whose NDCG@25 measures something else: event_value_threshold was not set, is 4, " +
      "log_lookback_days was 90, is 30, target_event_type was view, is not set",
  });
});

test("only event type, threshold, lookback and the percentiles that select users are part of the measure", () => {
  const { recipes } = onlyUsers({
    event_type: "view",
    event_value_threshold: "3",
    parameters: [
      { name: "hidden_dimension", value: 64 },
      { name: "min_user_history_length_percentile", value: 0.2 },
    ],
    excluded_dataset_columns: [{ name: "Item", value: ["AUTHOR"] }],
    min_provisioned_tps: 4,
  });
  assert.ok(recipes.user_personalization);
  assert.equal(measureOf(recipes.user_personalization, 90), {
    log_lookback_days: "90",
    target_event_type: "view",
    event_value_threshold: "3",
    min_user_history_length_percentile: "0.2",
  });
});

test("holds back two in a row, and switches to the third", () => {
  assert.equal(
    [0, 1, 2].map((heldBefore) => decide({ candidate: at(0.1), heldBefore })),
    [false, false, true],
  );
});

test("holds back every worse version in strict mode", () => {
  assert.is(decide({ candidate: at(0.1), heldBefore: 7, strict: true }), false);
});

test("the reason names both metrics and the exceeded tolerance", () => {
  assert.is(
    judge({ candidate: at(0.1) }).reason,
    "NDCG@25 is 0.1000, the active version has 0.5000: a larger drop than the tolerance of 10 % allows",
  );
  assert.is(
    judge({ candidate: at(0.1), users: 600 }).reason,
    "NDCG@25 is 0.1000, the active version has 0.5000: a larger drop than chance explains (0.1826 with about 60 test users)",
  );
});

/** Numbers from 0 to 1, the same in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

test("a recipe of all event types is measured on those of event_types, in any order", () => {
  const { user_personalization: recipe } = onlyUsers({}).recipes;
  assert.ok(recipe);
  const { event_types } = measureOf(recipe, 90, ["view", "click"]);
  assert.is(event_types, measureOf(recipe, 90, ["click", "view"]).event_types);
  assert.is(measureOf({ ...recipe, event_type: "view" }, 90, ["view", "click"]).event_types, undefined);
  assert.is(measureOf(recipe, 90).event_types, undefined);
});

test.run();

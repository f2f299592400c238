import { splitProbability } from "@relevance/lib/platform/experiments/split.ts";
import { type Random, seeded } from "@relevance/lib/platform/statistics/random.ts";
import { assignedVariant } from "@relevance/lib/search/sources/hybrid/experiment.ts";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { ALPHA, type ConfiguredExperiment, POWER, reportOf, usersNeeded } from "../../experiments/report.ts";
import type { UserSums } from "../../experiments/users.ts";

const test = suite("reports of experiments");

const REPETITIONS = 200;
const SETTINGS = { weights: null, normalization: null, combination: null };

const experiment = (name: string) => ({
  name,
  kind: "split" as const,
  index: "books",
  variants: [
    { name: "control", share: 0.5, settings: {} },
    { name: "other", share: 0.5, settings: {} },
  ],
});

/** A user who searches 1 to 10 times; some users click often, some seldom. */
function behaviour(random: Random, lift: number): Omit<UserSums, "variant"> {
  const searches = 1 + Math.floor(10 * random() ** 2);
  const eagerness = 0.1 + 0.6 * random();
  let clicked = 0;
  let reciprocal = 0;
  for (let search = 0; search < searches; search += 1) {
    if (random() >= eagerness * lift) continue;
    clicked += 1;
    reciprocal += 1 / (1 + Math.floor(5 * random()));
  }
  return {
    searches,
    clicked,
    reciprocal,
    empty: random() < 0.05 ? 1 : 0,
    milliseconds: searches * (20 + 10 * random()),
  };
}

/** Users of one repetition, in the variants that the gateway assigns to them. */
function simulated(repetition: number, count: number, lift: number): UserSums[] {
  const random = seeded(1_000 + repetition);
  const configured = experiment(`repetition-${repetition}`);
  return Array.from({ length: count }, (_, user) => {
    const indexes = [{ name: "books", names: ["books"] }];
    const asked = { index: "books", indexes, settings: SETTINGS, template: null, user_id: `user-${user}` };
    const variant = assignedVariant([configured], asked, undefined)?.variant ?? "";
    return { variant, ...behaviour(random, variant === "other" ? lift : 1) };
  });
}

const reported = (repetition: number, count: number, lift: number) =>
  reportOf(experiment(`repetition-${repetition}`), {
    users: simulated(repetition, count, lift),
    mixedUsers: 0,
    anonymousSearches: 0,
  });

/** The count that a rate over the repetitions exceeds in only one of a thousand sets of seeds. */
const most = (rate: number) => Math.ceil(REPETITIONS * rate + 3.1 * Math.sqrt(REPETITIONS * rate * (1 - rate)));

test(`${REPETITIONS} experiments without a difference are reported as different at most at the stated rate`, () => {
  let different = 0;
  let uneven = 0;
  for (let repetition = 0; repetition < REPETITIONS; repetition += 1) {
    const { outcomes, split } = reported(repetition, 1_000, 1);
    if (outcomes[0]?.outcome !== "no difference") different += 1;
    if (!split.isAsConfigured) uneven += 1;
  }
  assert.ok(different <= most(ALPHA), `${different} of ${REPETITIONS}`);
  assert.ok(uneven <= most(0.001), `${uneven} splits`);
});

test("a planted difference of 5 % is found at the stated power with the sample size of the formula", () => {
  // A pilot without a difference, as users of the formula run one.
  const pilot = simulated(-1, 4_000, 1).filter(({ variant }) => variant === "control");
  const needed = usersNeeded(pilot, "click_through", { change: 0.05 }) ?? 0;
  let found = 0;
  for (let repetition = 0; repetition < REPETITIONS; repetition += 1) {
    if (reported(repetition, 2 * needed, 1.05).outcomes[0]?.outcome === "better") found += 1;
  }
  assert.ok(REPETITIONS - found <= most(1 - POWER), `${found} of ${REPETITIONS} with ${needed} users in each variant`);
  // The formula must not ask for more users than needed either.
  assert.ok(REPETITIONS - found >= 2 * REPETITIONS * (1 - POWER) - most(1 - POWER), `${found} of ${REPETITIONS}`);
});

const sums = (variant: string, clicked: number, change: Partial<UserSums> = {}): UserSums => ({
  variant,
  searches: 10,
  clicked,
  reciprocal: clicked / 2,
  empty: 0,
  milliseconds: 300,
  ...change,
});
const AB: ConfiguredExperiment = {
  name: "x",
  variants: [
    { name: "a", share: 0.5 },
    { name: "b", share: 0.5 },
  ],
};
const logOf = (users: UserSums[]) => ({ users, mixedUsers: 0, anonymousSearches: 0 });
const many = (variant: string, clicks: readonly number[], change: Partial<UserSums> = {}) =>
  Array.from({ length: 200 }, (_, index) => sums(variant, clicks[index % clicks.length] ?? 0, change));

test("every measure is a ratio of sums with the variance between users", () => {
  const [a] = reportOf(AB, logOf([sums("a", 2), sums("a", 6, { searches: 30 })])).variants;
  assert.equal([a?.users, a?.searches], [2, 40]);
  const { value, low, high } = a?.measures.click_through ?? { value: 0, low: 0, high: 0 };
  assert.is(value, 0.2);
  // Both users click 0.2 of their searches: two agreeing units say little. The bounds are Wilson's for 0.4 of 2.
  assert.equal([low.toFixed(3), high.toFixed(3)], ["0.018", "0.777"]);
  assert.is(a?.measures.milliseconds.value, 15);
});

test("better and worse depend on the measure: fewer milliseconds are better", () => {
  const users = [...many("a", [2, 4]), ...many("b", [3, 5], { milliseconds: 400 })];
  const slower = users.map((user, index) => ({ ...user, milliseconds: user.milliseconds + (index % 3) }));
  assert.equal(reportOf(AB, logOf(slower)).outcomes, [{ variant: "b", outcome: "better" }]);
  assert.equal(reportOf(AB, logOf(slower), "milliseconds").outcomes, [{ variant: "b", outcome: "worse" }]);
  assert.equal(reportOf(AB, logOf(slower), "zero_hits").outcomes, [{ variant: "b", outcome: "no difference" }]);
});

test("each interval is wider with more variants, so that all of them hold together", () => {
  const three = { name: "x", variants: [...AB.variants, { name: "c", share: 0.5 }] };
  const users = [...many("a", [2, 4]), ...many("b", [3, 5]), ...many("c", [2, 4])];
  const width = (configured: ConfiguredExperiment) => {
    const { low, high } = reportOf(configured, logOf(users)).variants[1]?.measures.click_through.difference ?? {
      low: 0,
      high: 0,
    };
    return high - low;
  };
  assert.ok(Math.abs(width(three) / width(AB) - 2.2414 / 1.96) < 1e-4);
});

test("a split that differs from the configured one is reported, at p < 0.001 of the chi-squared test", () => {
  assert.is(reportOf(AB, logOf([...many("a", [1]), ...many("b", [1])])).split.isAsConfigured, true);
  assert.is(reportOf(AB, logOf([...many("a", [1]), ...many("b", [1]).slice(100)])).split.isAsConfigured, false);
  const uneven = [
    { count: 900, share: 0.09 },
    { count: 100, share: 0.01 },
  ];
  assert.ok(splitProbability(uneven) > 0.999, "shares need not sum to 1");
  assert.is(splitProbability([]), 1);
});

test("an experiment without users shows no difference and has no sample size", () => {
  const { outcomes, usersNeeded: needed, split } = reportOf(AB, logOf([]));
  assert.equal([outcomes, needed, split.isAsConfigured], [[{ variant: "b", outcome: "no difference" }], null, true]);
});

test.run();

import { RECIPES } from "../../settings/recipes.ts";
import type { RecipeTraining } from "./settings.ts";

/** The offline metric of Personalize that the gate compares. */
export const GATE_METRIC = "normalized_discounted_cumulative_gain_at_25";

/** How many worse versions in a row are held back. The next one is switched to. */
const HELD_IN_A_ROW = 2;

/**
 * The share of users whose newest events Personalize uses to test a version. Source: "Evaluating a solution version
 * with metrics".
 */
const TEST_SHARE = 0.1;

/** A version's NDCG@25 (undefined if Personalize reports none) and what it was measured on. */
export interface Measured {
  ndcg?: number;
  measure: Measure;
}

export interface GateInput {
  candidate: Measured;
  /** The version that the campaign serves, with its measurement, if any. */
  active: Measured | undefined;
  /** Number of users in the training data with at least two interactions that the recipe learns from. */
  users: number;
  /** metric_gate.tolerance: the accepted drop, as a share of the active version's metric. */
  tolerance: number;
  /** Whether worse versions are always held back. */
  strict: boolean;
  /** How many versions were held back since the last switch. */
  heldBefore: number;
}

/** Whether to switch to the new version, and why. The alarm and `status` show the reason. */
interface GateDecision {
  switch: boolean;
  reason: string;
}

/**
 * Holds back a version if its NDCG@25 is lower than the active version's by more than both the configured tolerance and
 * what chance explains. Switches to the third such version in a row: by then the data has changed, and the active
 * version's metric was measured on old data. Does not compare versions that were measured on different events.
 */
export function gate({ candidate, active, users, tolerance, strict, heldBefore }: GateInput): GateDecision {
  if (active?.ndcg === undefined) return { switch: true, reason: "no earlier version to compare with" };
  if (candidate.ndcg === undefined)
    return { switch: true, reason: "Personalize reports no NDCG@25 for the new version" };
  const changes = changesOf(active.measure, candidate.measure);
  if (changes.length > 0) {
    return {
      switch: true,
      reason: `not compared with the active version, whose NDCG@25 measures something else: ${changes.join(", ")}`,
    };
  }
  const compared = `NDCG@25 is ${shown(candidate.ndcg)}, the active version has ${shown(active.ndcg)}`;
  const chance = chanceOf(active.ndcg, users * TEST_SHARE);
  const configured = active.ndcg * tolerance;
  if (candidate.ndcg >= active.ndcg - Math.max(configured, chance)) return { switch: true, reason: compared };
  const allowed =
    configured >= chance
      ? `the tolerance of ${tolerance * 100} % allows`
      : `chance explains (${shown(chance)} with about ${Math.round(users * TEST_SHARE)} test users)`;
  const worse = `${compared}: a larger drop than ${allowed}`;
  if (strict) return { switch: false, reason: `${worse}, and metric_gate is strict` };
  if (heldBefore >= HELD_IN_A_ROW) {
    return { switch: true, reason: `${worse}, but ${heldBefore} versions in a row were held back before` };
  }
  return { switch: false, reason: worse };
}

/**
 * Returns the drop that chance can explain: two equally good versions differ by less in at least about 98 of 100
 * comparisons. It is two standard deviations of the difference between two means over `testUsers` users each. A user's
 * NDCG lies between 0 and 1, so its variance is at most m(1 − m), where m is the mean (Bhatia and Davis, "A better
 * bound on the variance", 2000). The variance of a mean over n users is 1/n of that, and that of a difference of two
 * such means is twice as much.
 */
function chanceOf(mean: number, testUsers: number): number {
  return 2 * Math.sqrt((2 * mean * (1 - mean)) / testUsers);
}

const shown = (metric: number) => metric.toFixed(4);

/**
 * The settings, by name, that decide on which events Personalize measures a version. Two versions can be compared
 * only if these settings are equal. Algorithm parameters, excluded columns and the recipe itself are not among them:
 * they change the model, but not the events that test it.
 */
type Measure = Readonly<Record<string, string>>;

/**
 * Returns what a recipe's versions are measured on. `lookbackDays` is personalize.log_lookback_days of project.yaml,
 * `types` are the event_types of solution.yaml.
 */
export function measureOf(training: RecipeTraining, lookbackDays: number, types?: readonly string[]): Measure {
  const { recipe_name, event_type, event_value_threshold, parameters } = training;
  const known = RECIPES[recipe_name]?.parameters ?? {};
  // These drop users or items with too few or too many events before Personalize splits off the test users.
  const features = parameters.filter(({ name }) => known[name]?.goesTo === "featureTransformationParameters");
  return {
    log_lookback_days: String(lookbackDays),
    ...(event_type !== undefined && { target_event_type: event_type }),
    ...(event_type === undefined && types && { event_types: types.toSorted().join(", ") }),
    ...(event_value_threshold !== undefined && { event_value_threshold }),
    ...Object.fromEntries(features.map(({ name, value }) => [name, String(value)])),
  };
}

/** Lists the settings in which two measures differ, for example `event_value_threshold was 3, is 4`. */
function changesOf(before: Measure, after: Measure): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return names
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name} was ${before[name] ?? "not set"}, is ${after[name] ?? "not set"}`);
}

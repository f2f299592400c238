import { changesOf, type Measure } from "./measure.ts";

/** Name of the offline metric of Personalize that decides. */
export const GATE_METRIC = "normalized_discounted_cumulative_gain_at_25";

/** Worse versions in a row that are held back; the next one is switched to. */
const HELD_IN_A_ROW = 2;

/** Share of the users whose newest events Personalize tests a version on. Source: "Evaluating a solution version with metrics". */
const TEST_SHARE = 0.1;

/** A version's NDCG@25, undefined when Personalize reports none, and what it was measured on. */
export interface Measured {
  ndcg?: number;
  measure: Measure;
}

export interface GateInput {
  candidate: Measured;
  /** The version that is served; undefined when none is. */
  active: Measured | undefined;
  /** Users in the training data with at least two interactions that the recipe learns from. */
  users: number;
  /** metric_gate.tolerance: the accepted drop, relative to the active version. */
  tolerance: number;
  /** Never switch to a worse version. */
  strict: boolean;
  /** Versions held back since the last switch. */
  heldBefore: number;
}

/** Whether to switch to a new version, and the reason, for the alarm and for `status`. */
export interface GateDecision {
  switch: boolean;
  reason: string;
}

/**
 * Holds back a version whose NDCG@25 is lower than the active one's by more than the configured tolerance and by more
 * than chance explains. Switches to the third such version in a row: by then the data has changed, and the active
 * version's metric was measured on the old data. Versions measured on different things are not compared.
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
 * The drop that two equally good versions stay below in about 98 of 100 comparisons, or more: two standard deviations of
 * the difference of two means over `testUsers` users each. One user's NDCG lies between 0 and 1, so its variance is at
 * most m(1 − m) for the mean m (Bhatia and Davis, "A better bound on the variance", 2000); a mean of n users has an n-th
 * of that, a difference of two means twice as much.
 */
function chanceOf(mean: number, testUsers: number): number {
  return 2 * Math.sqrt((2 * mean * (1 - mean)) / testUsers);
}

const shown = (metric: number) => metric.toFixed(4);

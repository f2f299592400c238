/** Name of Personalize's offline metric that decides. */
export const GATE_METRIC = "normalized_discounted_cumulative_gain_at_25";

/** So many worse versions in a row are held back; the next one is switched to. */
const HELD_IN_A_ROW = 2;

export interface GateInput {
  /** NDCG@25 of the new version; undefined when Personalize gives none. */
  candidate: number | undefined;
  /** NDCG@25 of the version that is served; undefined when none is, or when it has no metric. */
  active: number | undefined;
  /** How much worse, relative to the active one, is still taken. */
  tolerance: number;
  /** Never switch to a worse one. */
  strict: boolean;
  /** Versions that were held back since the last switch. */
  heldBefore: number;
}

/** Whether to switch to a new version, and why, in words for the alarm and for `status`. */
export interface GateDecision {
  switch: boolean;
  reason: string;
}

/**
 * A version that is worse than the active one by more than the tolerance is held back. After two of them in a row the
 * third is switched to: data has changed, and the old model's metric is of the old data.
 */
export function gate({ candidate, active, tolerance, strict, heldBefore }: GateInput): GateDecision {
  if (active === undefined) return { switch: true, reason: "no earlier version to compare with" };
  if (candidate === undefined) return { switch: true, reason: "Personalize gives no NDCG@25 for the new version" };
  const least = active * (1 - tolerance);
  const compared = `NDCG@25 is ${shown(candidate)}, of the active version ${shown(active)}`;
  if (candidate >= least) return { switch: true, reason: compared };
  const worse = `${compared}: worse than the tolerance of ${tolerance * 100} % allows`;
  if (strict) return { switch: false, reason: `${worse}, and metric_gate is strict` };
  if (heldBefore >= HELD_IN_A_ROW) {
    return { switch: true, reason: `${worse}, but ${heldBefore} versions in a row were held back before` };
  }
  return { switch: false, reason: worse };
}

const shown = (metric: number) => metric.toFixed(4);

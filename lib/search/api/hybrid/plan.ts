import type { Degradation } from "../../../core/http/degradation.ts";
import { ApiError } from "../../../core/http/error.ts";
import type { QueryEmbeddings } from "./embed.ts";
import { type LeftWeights, leftWeights } from "./pipeline.ts";
import type { Leg } from "./tokens.ts";

/** The subqueries that can run. */
export interface LegPlan {
  /** Their positions in the caller's query, from 0. */
  kept: number[];
  weights: number[] | null;
  degraded: Degradation[];
}

const WEIGHT_CHANGE: Record<LeftWeights["change"], string> = {
  none: "",
  scaled: "; the remaining weights are scaled to sum 1",
  equal: "; the remaining weights were all 0 and count equally",
};

/**
 * Drops the subqueries whose embedding failed. Throws `upstream_unavailable` if none remains, or if `onFailure` is
 * `fail`.
 */
export function planLegs(
  legs: readonly Leg[],
  { failures }: QueryEmbeddings,
  weights: readonly number[] | null,
  onFailure: "fail" | "degrade",
): LegPlan {
  const kept: number[] = [];
  const left: Array<{ leg: number; field: string; reason: string }> = [];
  for (const [leg, { fields }] of legs.entries()) {
    const failed = [...fields].find((field) => failures.has(field));
    if (failed === undefined) kept.push(leg);
    else left.push({ leg, field: failed, reason: failures.get(failed)?.message ?? "" });
  }
  if (left.length === 0) return { kept, weights: weights && [...weights], degraded: [] };
  const said = left.map(({ leg, field, reason }) => `subquery ${leg + 1} (${field}): ${reason}`).join("; ");
  const cause = [...failures.values()];
  const seconds = Math.max(0, ...cause.map(({ retryAfterSeconds = 0 }) => retryAfterSeconds));
  const options = { cause, headers: seconds > 0 ? { "retry-after": String(seconds) } : {} };
  if (kept.length === 0) throw new ApiError("upstream_unavailable", `No subquery can run: ${said}.`, options);
  if (onFailure === "fail") {
    throw new ApiError("upstream_unavailable", `The query text could not be embedded: ${said}.`, options);
  }
  const remaining = leftWeights(weights, kept);
  const degraded = left.map(({ leg, field, reason }): Degradation => {
    const effect = `subquery ${leg + 1} left out${WEIGHT_CHANGE[remaining.change]}`;
    return { stage: "embedding", target: field, reason, effect };
  });
  return { kept, weights: remaining.weights, degraded };
}

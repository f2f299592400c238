import * as v from "valibot";
import { objectSchema } from "../../../core/http/object-schema.ts";
import { commonFields, IndexExpression, NativeBody } from "../search/request.ts";

/** Sums within this of 1 are 1: three weights of a third are not exact in floats. */
const SUM_TOLERANCE = 1e-6;

const Weights = v.pipe(
  v.array(v.pipe(v.number(), v.minValue(0, "must be in [0, 1]"), v.maxValue(1, "must be in [0, 1]"))),
  v.check(
    (weights) => Math.abs(sum(weights) - 1) <= SUM_TOLERANCE,
    (issue) => `must sum to 1, got ${Number(sum(issue.input as number[]).toPrecision(12))}`,
  ),
);

export const HybridSettings = v.strictObject({
  weights: v.optional(v.nullable(Weights), null),
  normalization: v.optional(v.picklist(["min_max", "l2"]), "min_max"),
  combination: v.optional(v.picklist(["arithmetic_mean", "geometric_mean", "harmonic_mean"]), "arithmetic_mean"),
});
export type HybridSettings = v.InferOutput<typeof HybridSettings>;

export const HybridRequest = v.strictObject({
  index: IndexExpression,
  search_query: v.pipe(
    v.string(),
    v.check((text) => text.trim() !== "", "must not be empty"),
  ),
  search_request_template: NativeBody,
  settings: v.optional(objectSchema(HybridSettings), {}),
  ...commonFields,
});
export type HybridRequest = v.InferOutput<typeof HybridRequest>;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, next) => total + next, 0);

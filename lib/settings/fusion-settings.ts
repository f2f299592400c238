import * as v from "valibot";
import { COMBINATIONS, MAX_CANDIDATES, MAX_SUBQUERIES, NORMALIZATIONS } from "../platform/contract/search.ts";
import { sum } from "../platform/sum.ts";
import { type About, integer, numeric, word } from "./kinds.ts";

/** Sums within this of 1 are 1: three weights of a third are not exact in floats. */
export const SUM_TOLERANCE = 1e-6;

/** The weights of the subqueries of a hybrid query, in their order. */
export const Weights = v.pipe(
  v.array(numeric(0, 1, "The weight of a subquery.")),
  v.minLength(1, "must have at least one weight"),
  v.maxLength(MAX_SUBQUERIES, `must have at most ${MAX_SUBQUERIES} weights`),
  v.check(
    (weights) => Math.abs(sum(weights) - 1) <= SUM_TOLERANCE,
    (issue) => `must sum to 1, got ${Number(sum(issue.input as number[]).toPrecision(12))}`,
  ),
  v.metadata({
    allowed: `a list of 1 to ${MAX_SUBQUERIES} numbers from 0 to 1 that sum to 1`,
    description: "One weight for each subquery; they sum to 1.",
  } satisfies About),
);

export const Normalization = word(NORMALIZATIONS, "How the scores of each subquery are normalized.");

export const Combination = word(COMBINATIONS, "How the normalized scores of a document are combined.");

export const Candidates = integer(1, MAX_CANDIDATES, "Hits of each subquery that are normalized and combined.");

import { WEIGHTED_KAPPA } from "./agreement-measures.ts";
import { hashed } from "./hashed.ts";
import { type Judgment, type Judgments, judgmentsOf } from "./judgments.ts";

/** A verdict by a language model's judgments needs so many of its queries judged by people, or all if it has fewer. */
export const LEAST_CHECKED = 20;

/** A language model's judgments, and those of people that tell its error. */
export interface ModelCheck {
  model: Judgments;
  people: Judgments;
  /** The queries that the model judged, in the order in which people should judge them. */
  order: readonly string[];
  /** The first of them, as far as people have judged every document that the model judged: a random sample. */
  sample: readonly string[];
}

/**
 * Returns what is known of a language model's error; undefined if no model judged. People judge whole queries, because
 * metrics such as nDCG are no sums over single documents, so only the metric of a whole query shows its error without
 * assumptions.
 *
 * The order of the queries is that of a hash of their texts: as good as random, the same for everybody, and nobody can
 * choose it. Queries that people judged out of this order are no random sample and are not in it.
 */
export function modelCheck(rows: readonly Judgment[]): ModelCheck | undefined {
  const model = judgmentsOf(rows.filter(({ origin }) => origin === "model"));
  if (model.size === 0) return undefined;
  const people = judgmentsOf(rows.filter(({ origin }) => origin === "people"));
  const keys = new Map([...model.keys()].map((query) => [query, hashed(query)]));
  const order = [...keys.keys()].sort((a, b) => (keys.get(a) ?? 0) - (keys.get(b) ?? 0) || (a < b ? -1 : 1));
  const firstOpen = order.findIndex((query) =>
    [...(model.get(query)?.keys() ?? [])].some((document) => !people.get(query)?.has(document)),
  );
  return { model, people, order, sample: firstOpen < 0 ? order : order.slice(0, firstOpen) };
}

/** How much of a language model's judgments is checked, and how well people agree with it. */
export interface Checked {
  /** Queries of the sample. */
  queries: number;
  /** Queries that the model judged. */
  of: number;
  /** Queries of the sample that a verdict needs. */
  needed: number;
  /** Documents of the sample that both judged. */
  judgments: number;
  /**
   * Cohen's kappa with quadratic weights for these (Cohen, "Weighted kappa", Psychological Bulletin 70, 1968): 1 is full
   * agreement, 0 that of chance. Undefined if both gave one grade to everything.
   */
  kappa: number | undefined;
}

/** Returns how much of a language model's judgments is checked. */
export function checkedIn({ model, people, order, sample }: ModelCheck): Checked {
  const pairs = sample.flatMap((query) =>
    Array.from(model.get(query) ?? [], ([document, grade]) => [grade, people.get(query)?.get(document) ?? 0] as const),
  );
  const counts = { queries: sample.length, of: order.length, needed: Math.min(LEAST_CHECKED, order.length) };
  return { ...counts, judgments: pairs.length, kappa: WEIGHTED_KAPPA.valueFrom(WEIGHTED_KAPPA.sumsOf(pairs)) };
}

/** The names of what a report of an experiment measures, the usual one first. */
export const MEASURE_NAMES = ["click_through", "clicks_mrr", "zero_hits", "milliseconds"] as const;

/** A measure of a report. */
export type Measure = (typeof MEASURE_NAMES)[number];

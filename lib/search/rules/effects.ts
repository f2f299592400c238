import type { BoostSettings } from "../../settings/boost.ts";

type Query = Readonly<Record<string, unknown>>;

/** A document at a rank of the list, from 1. */
export interface Pin {
  id: string;
  place: number;
  ignore_filters: boolean;
}

/** A rule as the answer reports it. */
export interface AppliedRule {
  name: string;
  /** The text that replaced the user's. */
  text?: string;
  redirect?: string;
  data?: Query;
}

/** The combined effects of all rules of a search. */
export interface Effects {
  /** Sorted by rank; each document and each rank occurs once. */
  pins: readonly Pin[];
  hiddenIds: readonly string[];
  hidden: readonly Query[];
  filters: readonly Query[];
  /** Factors of scores. */
  weights: ReadonlyArray<{ filter: Query; weight: number }>;
  /** The text to search for; undefined for the user's own. */
  text: string | undefined;
  /** `boost` of the best hits, in place of that of the index. */
  boostHits?: BoostSettings | undefined;
  applied: readonly AppliedRule[];
}

/** No effects. */
export const NO_EFFECTS: Effects = {
  ...{ pins: [], hiddenIds: [], hidden: [], filters: [], weights: [] },
  ...{ text: undefined, applied: [] },
};

/** Returns effects without the text to search for. */
export const withoutText = (effects: Effects): Effects => ({
  ...effects,
  text: undefined,
  applied: effects.applied.map(({ text: _, ...rule }) => rule),
});

/** Effects that change the query of a search. */
export type Effective = Pick<Effects, "hiddenIds" | "hidden" | "filters" | "weights">;

/** Returns whether rules change the query of a search. */
export const changesQuery = ({ hiddenIds, hidden, filters, weights }: Effective): boolean =>
  hiddenIds.length + hidden.length + filters.length + weights.length > 0;

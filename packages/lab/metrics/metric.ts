import { ndcg } from "@relevance/lib/platform/statistics/ndcg.ts";

/** Grades by document for one query. A document without a grade is unjudged and counts as not relevant. */
export type Grades = ReadonlyMap<string, number>;

/** A document of this grade or more is relevant for the measures that know only relevant and not relevant. */
const RELEVANT_GRADE = 1;

/**
 * Measures one ranking (document ids, best first, each once) against the grades of its query. `k` cuts the ranking;
 * without it the whole ranking counts. Returns a number from 0 to 1.
 */
type Measure = (ranking: readonly string[], grades: Grades, k?: number) => number;

const isRelevant = (grades: Grades, document: string) => (grades.get(document) ?? 0) >= RELEVANT_GRADE;
const countRelevant = (ranking: readonly string[], grades: Grades) =>
  ranking.filter((document) => isRelevant(grades, document)).length;
const allRelevant = (grades: Grades) => [...grades.values()].filter((grade) => grade >= RELEVANT_GRADE).length;

/** One over the rank of the first relevant document, 0 if there is none. Its mean over queries is MRR. */
export const reciprocalRank: Measure = (ranking, grades, k) => {
  const first = ranking.slice(0, k).findIndex((document) => isRelevant(grades, document));
  return first < 0 ? 0 : 1 / (first + 1);
};

/** Share of relevant documents in the first `k`. A ranking shorter than `k` misses the missing ones. */
export const precision: Measure = (ranking, grades, k) => {
  const depth = k ?? ranking.length;
  return depth === 0 ? 0 : countRelevant(ranking.slice(0, k), grades) / depth;
};

/** Share of all relevant documents that are in the first `k`; 0 if there are none. */
export const recall: Measure = (ranking, grades, k) => {
  const relevant = allRelevant(grades);
  return relevant === 0 ? 0 : countRelevant(ranking.slice(0, k), grades) / relevant;
};

/** Average precision: the mean, over all relevant documents, of the precision at the rank of each. Its mean is MAP. */
const averagePrecision: Measure = (ranking, grades, k) => {
  let found = 0;
  let sum = 0;
  for (const [index, document] of ranking.slice(0, k).entries()) {
    if (!isRelevant(grades, document)) continue;
    found += 1;
    sum += found / (index + 1);
  }
  const relevant = allRelevant(grades);
  return relevant === 0 ? 0 : sum / relevant;
};

/** Returns whether a document was judged. As in trec_eval, a negative grade says only that it was pooled, or was not. */
const isJudged = (grades: Grades, document: string) => (grades.get(document) ?? -1) >= 0;

/**
 * Preference for relevant documents among judged ones (Buckley and Voorhees, "Retrieval evaluation with incomplete
 * information", SIGIR 2004, as trec_eval computes it): the mean, over all relevant documents, of the share of as many
 * judged non-relevant ones that do not stand above each. Unjudged documents play no part.
 */
const bpref: Measure = (ranking, grades, k) => {
  const relevant = allRelevant(grades);
  const judged = [...grades.values()].filter((grade) => grade >= 0).length;
  const bound = Math.min(relevant, judged - relevant);
  let wrong = 0;
  let sum = 0;
  for (const document of ranking.slice(0, k)) {
    if (isRelevant(grades, document)) sum += wrong === 0 ? 1 : 1 - Math.min(wrong, relevant) / bound;
    else if (isJudged(grades, document)) wrong += 1;
  }
  return relevant === 0 ? 0 : sum / relevant;
};

/** Keeps the estimate of {@link inferredAp} defined where nothing is judged above a document. */
const SMOOTHING = 0.00001;

/** Returns whether a document was pooled: a grade of -1 stands for one that was not sampled, below that for unpooled. */
const isPooled = (grades: Grades, document: string) => (grades.get(document) ?? -2) >= -1;

/**
 * Inferred average precision (Yilmaz and Aslam, "Estimating average precision with incomplete and imperfect judgments",
 * CIKM 2006, as trec_eval computes it). The precision above a relevant document is estimated from the judged documents
 * there: those that were pooled and not sampled for judging, with a grade of -1, count as relevant in the same share.
 * Documents outside the pool count as not relevant.
 */
const inferredAp: Measure = (ranking, grades, k) => {
  const relevant = allRelevant(grades);
  let [found, wrong, pooled, sum] = [0, 0, 0, 0];
  for (const [above, document] of ranking.slice(0, k).entries()) {
    if (isRelevant(grades, document)) {
      const share = (found + SMOOTHING) / (found + wrong + 2 * SMOOTHING);
      sum += above === 0 ? 1 : 1 / (above + 1) + (pooled / (above + 1)) * share;
      found += 1;
    } else if (isJudged(grades, document)) wrong += 1;
    if (isPooled(grades, document)) pooled += 1;
  }
  return relevant === 0 ? 0 : sum / relevant;
};

/**
 * Returns a measure over condensed lists: rankings without their unjudged documents (Sakai, "Alternatives to bpref",
 * SIGIR 2007). Where much is unjudged it orders systems better than the measure itself, and better than bpref. It flatters
 * systems that found few of the judged documents, as the measure itself flatters those whose hits were judged (Sakai,
 * "Comparing metrics across TREC and NTCIR: the robustness to system bias", CIKM 2008).
 */
const condensed =
  (measure: Measure): Measure =>
  (ranking, grades, k) =>
    measure(
      ranking.filter((document) => isJudged(grades, document)),
      grades,
      k,
    );

/** Share of the first `k` hits that have a grade, of those that exist; 0 without hits. */
const judgedShare: Measure = (ranking, grades, k) => {
  const hits = ranking.slice(0, k);
  return hits.length === 0 ? 0 : hits.filter((document) => grades.has(document)).length / hits.length;
};

/** 1 if the ranking has no hits, else 0. Its mean is the share of queries without hits. */
const zeroHits: Measure = (ranking) => (ranking.length === 0 ? 1 : 0);

/** A measure at a depth, such as `ndcg@10`. */
export interface Metric {
  name: string;
  /** How many hits it looks at; undefined for all. */
  k: number | undefined;
  /** Whether a higher value is better. */
  higherIsBetter: boolean;
  /** `all judged`: unjudged hits count as not relevant. `some judged`: they play no part. */
  needs: "all judged" | "some judged" | "nothing";
  of(ranking: readonly string[], grades: Grades): number;
}

interface Kind {
  measure: Measure;
  higherIsBetter: boolean;
  needs: Metric["needs"];
}

const complete = (measure: Measure): Kind => ({ measure, higherIsBetter: true, needs: "all judged" });

/** Measures that count unjudged documents as not relevant. */
const COMPLETE: Readonly<Record<string, Kind>> = {
  ndcg: complete(ndcg),
  mrr: complete(reciprocalRank),
  precision: complete(precision),
  recall: complete(recall),
  map: complete(averagePrecision),
};
const CONDENSED = "condensed_";

const KINDS: Readonly<Record<string, Kind>> = {
  ...COMPLETE,
  ...Object.fromEntries(
    Object.entries(COMPLETE).map(([name, kind]): [string, Kind] => [
      `${CONDENSED}${name}`,
      { ...kind, measure: condensed(kind.measure), needs: "some judged" },
    ]),
  ),
  bpref: { measure: bpref, higherIsBetter: true, needs: "some judged" },
  infap: { measure: inferredAp, higherIsBetter: true, needs: "some judged" },
  judged: { measure: judgedShare, higherIsBetter: true, needs: "nothing" },
  zero_hits: { measure: zeroHits, higherIsBetter: false, needs: "nothing" },
};

/** The names of all measures. */
export const MEASURE_NAMES: readonly string[] = Object.keys(KINDS);

/** Returns the same metric over condensed lists; undefined for one that looks at judged documents only, or at none. */
export function condensedOf({ name, needs }: Metric): Metric | undefined {
  return needs === "all judged" ? metricOf(`${CONDENSED}${name}`) : undefined;
}

/** Returns the metric of a name such as `ndcg@10`, `map` or `zero_hits`; undefined if there is no such metric. */
export function metricOf(name: string): Metric | undefined {
  const [, measure = "", depth] = /^([a-z_]+)(?:@([1-9]\d{0,3}))?$/.exec(name) ?? [];
  const kind = Object.hasOwn(KINDS, measure) ? KINDS[measure] : undefined;
  if (!kind || (measure === "zero_hits" && depth !== undefined)) return undefined;
  const k = depth === undefined ? undefined : Number(depth);
  return {
    name,
    k,
    higherIsBetter: kind.higherIsBetter,
    needs: kind.needs,
    of: (ranking, grades) => kind.measure(ranking, grades, k),
  };
}

import type { Interval } from "@relevance/lib/platform/statistics/bootstrap.ts";
import { type Random, seeded, shuffled } from "@relevance/lib/platform/statistics/random.ts";
import { clicksOverExpected, type Shown } from "../../clicks/coec.ts";
import { evaluate } from "../../evaluation/evaluate.ts";
import { type Judgments, judgmentsOf } from "../../judgments/judgments.ts";
import { metricOf } from "../../metrics/metric.ts";

/** Documents that each query could find, and how many of each grade above 0. */
const DOCUMENTS = 80;
const GRADED = [3, 3, 3, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1];
/** Probability that a user who looks at a document of a grade clicks it. */
const ATTRACTION = [0.05, 0.2, 0.45, 0.8];
const PAGE = 10;
const QUERIES = 60;
/** Of each query; as many impressions has each document of its first page. */
const SEARCHES = 100;

/** Ranks the documents of a query by their grades; the lower the quality, the more noise. */
export interface Ranker {
  quality: number;
  /** How much of the noise is that of the live ranking. 1 and the same quality give the same order. */
  shared: number;
  /** Whether it only reorders the first page of the live ranking, so that all its hits were shown. */
  reorders?: boolean;
}

const LIVE: Ranker = { quality: 1, shared: 1 };

/** Settings against the live one, and some against each other. A pair of the same quality has no true difference. */
export const PAIRS: readonly (readonly [baseline: Ranker, other: Ranker])[] = [
  [LIVE, { quality: 1, shared: 0.95 }],
  [LIVE, { quality: 1, shared: 0.5 }],
  [LIVE, { quality: 1.4, shared: 0.95 }],
  [LIVE, { quality: 2, shared: 0.7 }],
  [LIVE, { quality: 0.7, shared: 0.95 }],
  [LIVE, { quality: 0.2, shared: 0.5 }],
  [LIVE, { quality: 0, shared: 0, reorders: true }],
  [LIVE, { quality: 2, shared: 0, reorders: true }],
  [
    { quality: 1.2, shared: 0.9 },
    { quality: 0.8, shared: 0.9 },
  ],
  [
    { quality: 1, shared: 0.2, reorders: true },
    { quality: 1, shared: 0.2, reorders: true },
  ],
];

/** What is true about a query: grades, and the noise that all rankers share. */
export interface TrueQuery {
  id: string;
  grades: readonly number[];
  noise: readonly number[];
}

/** A draw from the normal distribution (Box and Muller). */
export const normal = (random: Random) => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

export function trueQueries(count: number, random: Random): TrueQuery[] {
  return Array.from({ length: count }, (_, query) => {
    const grades = shuffled([...GRADED, ...new Array<number>(DOCUMENTS - GRADED.length).fill(0)], random);
    return { id: `q${query}`, grades, noise: grades.map(() => normal(random)) };
  });
}

/** Ranks the documents of a query. */
export function ranked(
  { grades, noise }: TrueQuery,
  { quality, shared, reorders = false }: Ranker,
  random: Random,
): string[] {
  const scores = grades.map((grade, document) => {
    const live = grade + (noise[document] ?? 0);
    const own = Math.sqrt(shared) * (noise[document] ?? 0) + Math.sqrt(1 - shared) * normal(random);
    return { document, live, score: quality * grade + own };
  });
  const live = scores.toSorted((a, b) => b.live - a.live);
  const parts = reorders ? [live.slice(0, PAGE), live.slice(PAGE)] : [live];
  return parts.flatMap((part) => part.sort((a, b) => b.score - a.score)).map(({ document }) => `d${document}`);
}

/** The ranks that one user of the live ranking clicks. The probability to look at a rank is rank^-bias. */
export const clickedBy = ({ grades }: TrueQuery, page: readonly string[], bias: number, random: Random): string[] =>
  page.filter((document, index) => {
    const attraction = ATTRACTION[grades[Number(document.slice(1))] ?? 0] ?? 0;
    return random() < (index + 1) ** -bias * attraction;
  });

/** Simulates users of the live ranking and counts what was shown and clicked. */
function shownLive(queries: readonly TrueQuery[], searches: number, bias: number, random: Random): Shown[] {
  return queries.flatMap((query) => {
    const page = ranked(query, LIVE, random).slice(0, PAGE);
    const clicks = new Map(page.map((document) => [document, 0]));
    for (let search = 0; search < searches; search += 1) {
      for (const document of clickedBy(query, page, bias, random))
        clicks.set(document, (clicks.get(document) ?? 0) + 1);
    }
    return page.map((document, index): Shown => {
      return { query: query.id, document, rank: index + 1, impressions: searches, clicks: clicks.get(document) ?? 0 };
    });
  });
}

/** Returns the rankings of both settings of a pair. */
export const rankingsOf = (queries: readonly TrueQuery[], pair: (typeof PAIRS)[number], random: Random) =>
  pair.map((ranker) => queries.map((query) => ranked(query, ranker, random)));

/** Evaluates a pair by judgments from clicks. */
export function byClicks(queries: readonly TrueQuery[], rankings: readonly string[][][], shown: readonly Shown[]) {
  const judged = clicksOverExpected(shown, 20);
  return evaluated(queries, rankings, judgmentsOf(judged), judged.length);
}

/** Returns the true mean difference of a pair. */
function trueDifference(pair: (typeof PAIRS)[number], count: number): number {
  if (pair[0].quality === pair[1].quality && pair[0].reorders === pair[1].reorders) return 0;
  const random = seeded(99);
  const queries = trueQueries(count, random);
  const judgments = judgmentsOf(
    queries.flatMap(({ id, grades }) =>
      grades.map((grade, document) => ({ query: id, document: `d${document}`, grade })),
    ),
  );
  const [before = [], after = []] = rankingsOf(queries, pair, random);
  const metric = metricOf("ndcg@10");
  const value = (rankings: string[][]) =>
    queries.reduce(
      (sum, { id }, query) => sum + (metric?.of(rankings[query] ?? [], judgments.get(id) ?? new Map()) ?? 0),
      0,
    );
  return (value(after) - value(before)) / count;
}

/** How many verdicts of simulated clicks are clear, and how many of them contradict the truth. */
interface ClickVerdicts {
  all: number;
  clear: number;
  wrong: number;
  /** How many would contradict the truth if only the usual metric were asked, and if only condensed lists were. */
  wrongUsual: number;
  wrongCondensed: number;
}

/** Evaluates all pairs so many times, by clicks of users whose position bias has a strength. */
export function clickVerdicts(bias: number, rounds: number): ClickVerdicts {
  const counts: ClickVerdicts = { all: 0, clear: 0, wrong: 0, wrongUsual: 0, wrongCondensed: 0 };
  for (const [number, pair] of PAIRS.entries()) {
    const truth = Math.sign(trueDifference(pair, 300));
    for (let round = 0; round < rounds; round += 1) {
      const random = seeded(1_000 * round + 10 * number + bias);
      const queries = trueQueries(QUERIES, random);
      const shown = shownLive(queries, SEARCHES, bias, random);
      const [comparison] = byClicks(queries, rankingsOf(queries, pair, random), shown).verdict.comparisons;
      if (!comparison) continue;
      const { finding, difference, condensed = difference } = comparison;
      const direction = finding === "better" ? 1 : finding === "worse" ? -1 : 0;
      const isWrong = (sign: number) => (sign !== 0 && sign !== truth ? 1 : 0);
      counts.all += 1;
      counts.clear += Math.abs(direction);
      counts.wrong += isWrong(direction);
      counts.wrongUsual += isWrong(directionOf(difference));
      counts.wrongCondensed += isWrong(directionOf(condensed));
    }
  }
  return counts;
}

const directionOf = ({ low, high }: Interval) => (low > 0 ? 1 : high < 0 ? -1 : 0);

function evaluated(
  queries: readonly TrueQuery[],
  rankings: readonly string[][][],
  judgments: Judgments,
  clicks: number,
) {
  const metric = metricOf("ndcg@10");
  if (!metric) throw new Error("no metric");
  const settings = rankings.map((own, index) => ({
    name: index === 0 ? "baseline" : "other",
    runs: own.map((ranking) => ({ ranking, milliseconds: 1, degraded: [] })),
  }));
  const ids = queries.map(({ id }) => id);
  return evaluate(ids, settings, judgments, [metric], { origins: { clicks }, resamples: 1_000 });
}

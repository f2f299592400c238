import { type Random, seeded } from "../../../lib/core/statistics/random.ts";
import { evaluate } from "../../evaluation/evaluate.ts";
import { type Judgment, judgmentsOf } from "../../judgments/judgments.ts";
import { modelCheck } from "../../judgments/model-check.ts";
import { type Metric, metricOf } from "../../metrics/metric.ts";
import { normal, type Ranker, ranked, type TrueQuery, trueQueries } from "./simulated-clicks.ts";

const DEPTH = 10;

/** The setting in use, and one that finds more of what is relevant by other documents. */
const RANKERS: readonly Ranker[] = [
  { quality: 1, shared: 1 },
  { quality: 1.2, shared: 0.3 },
];

/** How a simulated language model errs. */
export interface Judge {
  /** How much it overrates what the setting in use overrates, such as texts that repeat the words of the query. */
  lean: number;
  noise: number;
}

interface World {
  rows: readonly Judgment[];
  rankings: readonly (readonly string[])[][];
}

/** Judges the first hits of both settings, by people and by a language model. */
function judgedBy(judge: Judge, queries: readonly TrueQuery[], random: Random): World {
  const rankings = RANKERS.map((ranker) => queries.map((query) => ranked(query, ranker, random)));
  const rows = queries.flatMap(({ id, grades, noise }, place): Judgment[] => {
    const pool = new Set(rankings.flatMap((own) => own[place]?.slice(0, DEPTH) ?? []));
    return [...pool].flatMap((document) => {
      const number = Number(document.slice(1));
      const grade = grades[number] ?? 0;
      const guess = Math.round(grade + judge.lean * (noise[number] ?? 0) + judge.noise * normal(random));
      return [
        { query: id, document, grade: Math.max(0, Math.min(3, guess)), origin: "model" },
        { query: id, document, grade, origin: "people" },
      ];
    });
  });
  return { rows, rankings };
}

/** Names the queries of a round apart from those of others, so that each round has a sample of its own. */
const queriesOf = (count: number, round: number, random: Random) =>
  trueQueries(count, random).map((query) => ({ ...query, id: `round ${round} ${query.id}` }));

function metricNamed(name: string): Metric {
  const metric = metricOf(name);
  if (!metric) throw new Error(`no metric ${name}`);
  return metric;
}

/** Returns the true mean difference of the settings by people's judgments, over many queries. */
function trueDifference(name: string, judge: Judge, count: number): number {
  const random = seeded(77);
  const queries = queriesOf(count, -1, random);
  const { rows, rankings } = judgedBy(judge, queries, random);
  const judgments = judgmentsOf(rows);
  const metric = metricNamed(name);
  const sum = (setting: number) =>
    queries.reduce(
      (before, { id }, place) => before + metric.of(rankings[setting]?.[place] ?? [], judgments.get(id) ?? new Map()),
      0,
    );
  return (sum(1) - sum(0)) / queries.length;
}

/** How often the corrected interval has the truth, and how often the model's own does. */
interface Coverage {
  rounds: number;
  covered: number;
  coveredAlone: number;
  /** Verdicts that name a winner, and those of them that name the wrong one. */
  clear: number;
  wrong: number;
  kappa: number;
}

interface Simulation {
  queries: number;
  checked: number;
  rounds: number;
  /** Queries whose mean is taken for the truth. */
  ofTruth: number;
}

/** Evaluates both settings so many times, with people's judgments of the first queries in the order of the check. */
export function coverage(
  name: string,
  judge: Judge,
  { queries: count, checked, rounds, ofTruth }: Simulation,
): Coverage {
  const truth = trueDifference(name, judge, ofTruth);
  const metric = metricNamed(name);
  const found: Coverage = { rounds, covered: 0, coveredAlone: 0, clear: 0, wrong: 0, kappa: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const random = seeded(1 + round);
    const queries = queriesOf(count, round, random);
    const { rows, rankings } = judgedBy(judge, queries, random);
    const ids = queries.map(({ id }) => id);
    const settings = rankings.map((own, index) => ({
      name: index === 0 ? "in use" : "other",
      runs: own.map((ranking) => ({ ranking, milliseconds: 1, degraded: [] })),
    }));
    const by = (people: number) => {
      const chosen = new Set(modelCheck(rows)?.order.slice(0, people));
      const known = rows.filter(({ query, origin }) => origin === "model" || chosen.has(query));
      const about = { origins: { model: 1 }, check: modelCheck(known), resamples: 800 };
      return evaluate(ids, settings, judgmentsOf(known), [metric], about);
    };
    const has = ({ settings: [, other] }: ReturnType<typeof by>) => {
      const { low, high } = other?.scores[name]?.difference ?? { low: 1, high: -1 };
      return low <= truth && truth <= high ? 1 : 0;
    };
    const corrected = by(checked);
    const { better, worse } = corrected.verdict;
    found.covered += has(corrected);
    found.coveredAlone += has(by(0));
    found.clear += better.length + worse.length;
    found.wrong += (truth > 0 ? worse : better).length;
    found.kappa += (corrected.checked?.kappa ?? 0) / rounds;
  }
  return found;
}

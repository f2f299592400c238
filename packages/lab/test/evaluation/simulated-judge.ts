import type { Interval } from "@relevance/lib/platform/statistics/bootstrap.ts";
import { type Random, seeded } from "@relevance/lib/platform/statistics/random.ts";
import { differencesOf, intervalsOf, type Measured, measuredBy } from "../../evaluation/correction.ts";
import { type Judgment, judgmentsOf } from "../../judgments/judgments.ts";
import { modelCheck } from "../../judgments/model-check.ts";
import { metricOf } from "../../metrics/metric.ts";
import { normal, type Ranker, ranked, type TrueQuery, trueQueries } from "./simulated-clicks.ts";

const DEPTH = 10;

/** The setting in use. */
const IN_USE: Ranker = { quality: 1, shared: 1 };

/** How a simulated language model errs. */
export interface Judge {
  /** How much it overrates what the setting in use overrates, such as texts that repeat the words of the query. */
  lean: number;
  noise: number;
}

/** Queries from which evaluations draw theirs, with what people and a language model say of both settings. */
interface Population {
  /** The differences of the settings. People checked all queries. */
  differences: Measured;
  /** The mean difference by people's judgments. */
  truth: number;
}

/** Ranks by the setting in use and by another one, and has people and a language model judge the first hits of both. */
export function population(judge: Judge, other: Ranker, size: number): Population {
  const random = seeded(77);
  const queries = trueQueries(size, random);
  const rankings = [IN_USE, other].map((ranker) => queries.map((query) => ranked(query, ranker, random)));
  const rows = queries.flatMap((query, place) => {
    const pool = new Set(rankings.flatMap((own) => own[place]?.slice(0, DEPTH) ?? []));
    return [...pool].flatMap((document) => judgedBy(judge, query, document, random));
  });
  const metric = metricOf("ndcg@10");
  const check = modelCheck(rows);
  if (!metric || !check) throw new Error("no metric");
  const ids = queries.map(({ id }) => id);
  const differences = differencesOf(
    measuredBy(metric, { queries: ids, rankings, judgments: judgmentsOf(rows), check }),
  );
  const people = differences.values[1] ?? [];
  const truth = people.reduce((sum, value) => sum + value, 0) / size;
  return { differences, truth };
}

function judgedBy(judge: Judge, { id, grades, noise }: TrueQuery, document: string, random: Random): Judgment[] {
  const number = Number(document.slice(1));
  const grade = grades[number] ?? 0;
  const error = judge.lean * (noise[number] ?? 0) + judge.noise * normal(random);
  const guess = Math.max(0, Math.min(3, Math.round(grade + error)));
  return [
    { query: id, document, grade: guess, origin: "model" },
    { query: id, document, grade, origin: "people" },
  ];
}

/** Returns random queries, of which people checked the first ones, under the other setting alone. */
export function drawn({ differences }: Population, queries: number, checked: number, random: Random): Measured {
  const { values, uncorrected, errors } = differences;
  const places = Array.from({ length: queries }, () => Math.floor(random() * (values[1]?.length ?? 0)));
  const at = (all: Measured["values"] | undefined, those: readonly number[]) =>
    those.map((place) => all?.[1]?.[place] ?? 0);
  const [first, rest] = [places.slice(0, checked), places.slice(checked)];
  return {
    values: [[...at(values, first), ...at(uncorrected, rest)]],
    uncorrected: [at(uncorrected, places)],
    errors: checked > 0 ? [at(errors, first)] : undefined,
    sample: [...first.keys()],
    unchecked: queries - checked,
  };
}

/** How often intervals have the truth. */
interface Coverage {
  covered: number;
  /** The share of those of the model alone, in every tenth round. */
  coveredAlone: number;
  /** Intervals on one side of 0, and those of them on the wrong one. */
  clear: number;
  wrong: number;
  /** The mean width, and that of people's intervals by the checked queries alone, in every tenth round. */
  width: number;
  widthByPeople: number;
}

/** Draws queries so many times, a multiple of ten, and counts what the corrected intervals say. */
export function coverage(
  of: Population,
  { queries, checked, rounds }: Record<"queries" | "checked" | "rounds", number>,
): Coverage {
  const found: Coverage = { covered: 0, coveredAlone: 0, clear: 0, wrong: 0, width: 0, widthByPeople: 0 };
  const random = seeded(1);
  for (let round = 0; round < rounds; round += 1) {
    const measured = drawn(of, queries, checked, random);
    const intervalOf = (one: Measured) => intervalsOf(one, { resamples: 400, seed: round })[0] as Interval;
    const has = ({ low, high }: Interval) => (low <= of.truth && of.truth <= high ? 1 : 0);
    const own = intervalOf(measured);
    const sign = own.low > 0 ? 1 : own.high < 0 ? -1 : 0;
    found.covered += has(own);
    found.clear += Math.abs(sign);
    found.wrong += sign === -Math.sign(of.truth) ? Math.abs(sign) : 0;
    found.width += (own.high - own.low) / rounds;
    if (round % 10 > 0) continue;
    const byModel = { ...measured, values: measured.uncorrected, errors: undefined, sample: [], unchecked: 0 };
    const byPeople = measured.values.map((all) => all.slice(0, checked));
    const people = intervalOf({ ...byModel, values: byPeople, uncorrected: byPeople });
    found.coveredAlone += (10 * has(intervalOf(byModel))) / rounds;
    found.widthByPeople += (10 * (people.high - people.low)) / rounds;
  }
  return found;
}

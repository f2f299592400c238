import { isDeepStrictEqual } from "node:util";
import type { Evaluation, Run } from "../evaluation/evaluate.ts";
import { LEAST_JUDGED } from "../evaluation/verdict.ts";
import type { Judgments } from "../judgments/judgments.ts";
import { condensedOf, type Metric } from "../metrics/metric.ts";

/**
 * What a change does to one query: `better` or `worse` by the metric if enough of the first hits are judged, `changed` if
 * they differ and nobody can say which is better.
 */
export type Outcome = "better" | "worse" | "changed" | "unchanged";

/** One query before and after. */
export interface PreviewedQuery {
  query: string;
  outcome: Outcome;
  /** The metric; null if the query is not judged. */
  before: number | null;
  after: number | null;
  /** Documents that are among the first hits after the change alone, and before it alone. */
  entered: readonly string[];
  left: readonly string[];
  /** Whether documents that are in both changed their order. */
  moved: boolean;
  /** Whether what rules have for the page differs, such as a banner. */
  told: boolean;
}

/** Effect of a change on a set of queries. */
export interface Preview {
  /** The settings that are compared: before and after. */
  names: readonly [before: string, after: string];
  metric: string;
  /** How many first hits are compared. */
  depth: number;
  queries: readonly PreviewedQuery[];
  totals: Readonly<Record<Outcome, number>>;
  /** The verdict on the judged queries; null if none is judged. */
  evaluation: Evaluation | null;
  /** Caveats about the comparison, in sentences. */
  warnings: readonly string[];
}

/** Searches before and after a change. */
export interface Compared {
  names: readonly [before: string, after: string];
  /** The queries, in the order of the runs. */
  queries: readonly { id: string; text: string }[];
  before: readonly Run[];
  after: readonly Run[];
  metric: Metric;
  judgments: Judgments;
  /** Of the judged queries among them; its first setting is the one before. */
  evaluation: Evaluation | null;
}

/** The hits of a first page. */
const PAGE = 10;

/** Compares what searches find before and after a change. */
export function previewOf({ names, queries, before, after, metric, judgments, evaluation }: Compared): Preview {
  const depth = Math.min(metric.k ?? PAGE, PAGE);
  const condensed = evaluation?.isComplete ? undefined : condensedOf(metric);
  const place = new Map(evaluation?.queries.map((id, at) => [id, at]));
  const scoreOf = (setting: number, id: string) =>
    evaluation?.settings[setting]?.scores[metric.name]?.values[place.get(id) ?? -1] ?? null;
  const compared = queries.map(({ id, text }, at): PreviewedQuery => {
    const [old, fresh] = [before[at], after[at]];
    const firsts = [old, fresh].map((run) => run?.ranking.slice(0, depth) ?? []);
    const [had = [], has = []] = firsts;
    const [kept, keeps] = [had.filter((one) => has.includes(one)), has.filter((one) => had.includes(one))];
    const differences = {
      entered: has.filter((one) => !had.includes(one)),
      left: had.filter((one) => !has.includes(one)),
      moved: !isDeepStrictEqual(kept, keeps),
      told: !isDeepStrictEqual(old?.told ?? [], fresh?.told ?? []),
    };
    const [was, is] = [scoreOf(0, id), scoreOf(1, id)];
    const grades = judgments.get(id);
    const canTell =
      was !== null &&
      is !== null &&
      (evaluation?.isComplete ||
        firsts.every((hits) => hits.filter((one) => grades?.has(one)).length >= LEAST_JUDGED * hits.length));
    const direction = canTell ? Math.sign(is - was) : 0;
    // Unjudged hits count as not relevant in the one and not at all in the other: only what both say holds for both.
    const [kinder = 0, own = 0] = [fresh, old].map(
      (run) => condensed?.of(run?.ranking ?? [], grades ?? new Map()) ?? 0,
    );
    const agrees = !condensed || Math.sign(kinder - own) === direction;
    const gain = agrees ? (metric.higherIsBetter ? 1 : -1) * direction : 0;
    const { entered, left, moved, told } = differences;
    const isSame = entered.length + left.length === 0 && !moved && !told;
    const outcome = gain > 0 ? "better" : gain < 0 ? "worse" : isSame ? "unchanged" : "changed";
    return { query: text, outcome, before: was, after: is, ...differences };
  });
  const count = (outcome: Outcome) => compared.filter((one) => one.outcome === outcome).length;
  return {
    ...{ names, metric: metric.name, depth, queries: compared, evaluation },
    totals: {
      better: count("better"),
      worse: count("worse"),
      changed: count("changed"),
      unchanged: count("unchanged"),
    },
    warnings: [...lost(names[0], before), ...lost(names[1], after)],
  };
}

/** Says how many answers lack a part, which then is not compared. */
function lost(name: string, runs: readonly Run[]): string[] {
  const stages = runs.flatMap(({ degraded }) => [...new Set(degraded)]);
  return [...new Set(stages)].map((stage) => {
    const number = stages.filter((one) => one === stage).length;
    return `${number} of ${runs.length} answers of ${name} were made without ${stage}`;
  });
}

import { availableParallelism, loadavg } from "node:os";

/** The last run of a benchmark, as `bench/results.json` keeps it. */
export interface Result {
  /** Day of the run, in UTC. */
  date: string;
  machine: string;
  /** Short hash of the commit that was measured. */
  commit?: string;
  rows: Row[];
}

/** One measurement. */
export interface Row {
  what: string;
  budget: string;
  /** The measured value, as text. */
  reached: string;
  /** Whether the budget is kept; undefined without a budget. */
  kept: boolean | undefined;
  /** The figures behind it. */
  note: string;
  /** The size of the input, if the benchmark takes several. */
  size?: number;
  /** What it measures, if the benchmark can measure some of several. */
  kind?: string;
  /** Unit costs by name, which docs/reference/sizing.md is computed from. */
  figures?: Readonly<Record<string, number>>;
  /** A table behind the figures, in Markdown, which stands below those of all benchmarks. */
  details?: string;
}

/** One question and its measurements. */
export interface Benchmark {
  run(): Promise<Row[]>;
}

/** Returns the rows of a run, and those of earlier runs with other sizes or kinds. The smallest input comes first. */
export function withOtherSizes(rows: readonly Row[], earlier: readonly Row[] = []): Row[] {
  const others = earlier.filter(({ size, kind }) =>
    kind === undefined
      ? size !== undefined && rows.every((row) => row.size !== size)
      : rows.every((row) => row.kind !== kind),
  );
  const size = (row: Row) => row.size ?? Number.MAX_SAFE_INTEGER;
  return [...others, ...rows].toSorted((a, b) => size(a) - size(b));
}

/** Returns those of several that `BENCH_KINDS` names, or all: the others keep the rows of earlier runs. */
export const wantedKinds = <T extends string>(kinds: readonly T[]): T[] =>
  kinds.filter((kind) => process.env.BENCH_KINDS?.split(",").includes(kind) ?? true);

export const ms = (value: number): string => `${value.toFixed(2)} ms`;
export const times = (ratio: number): string => `${ratio.toFixed(2)}x`;
export const bytes = (value: number): string => `${(value / 1024 / 1024).toFixed(0)} MiB`;

/** Returns the median; the upper of the two middle values for an even count, NaN for none. */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Describes how busy the machine is: other load alone can make a run miss its wall-clock budget. */
export const load = (): string => `load ${(loadavg()[0] ?? 0).toFixed(1)} on ${availableParallelism()} processors`;

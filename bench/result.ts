import { availableParallelism, loadavg } from "node:os";

/** One row of `bench/RESULTS.md`. */
export interface Row {
  what: string;
  budget: string;
  /** What was measured, as text. */
  reached: string;
  /** Whether the budget is kept; undefined where the row only informs. */
  kept: boolean | undefined;
  /** Numbers behind it, or the reason of a miss. */
  note: string;
}

/** A benchmark: one question, its rows, in a process of its own. */
export interface Benchmark {
  name: string;
  run(): Promise<Row[]>;
}

export const ms = (value: number): string => `${value.toFixed(2)} ms`;
export const times = (ratio: number): string => `${ratio.toFixed(2)}x`;
export const bytes = (value: number): string => `${(value / 1024 / 1024).toFixed(0)} MiB`;

/** The middle of the values; of an even number, the upper one of the two. NaN of none. */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** How busy the machine is: a budget of wall-clock time is missed where others take the processors. */
export const load = (): string => `load ${(loadavg()[0] ?? 0).toFixed(1)} on ${availableParallelism()} processors`;

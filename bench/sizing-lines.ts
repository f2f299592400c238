import type { Result } from "./result.ts";

export type Results = Readonly<Record<string, Pick<Result, "rows">>>;

/** Returns a figure of a benchmark. Throws when it was never measured. */
export function figure(results: Results, benchmark: string, name: string): number {
  const found = results[benchmark]?.rows.find(({ figures }) => figures?.[name] !== undefined)?.figures?.[name];
  if (found === undefined) throw new Error(`bench/results.json has no ${name}: run make bench ARGS=${benchmark}`);
  return found;
}

/** A row of docs/reference/sizing.md. */
export interface Line {
  what: string;
  value: string;
  /** "measured", or "estimate" with its source. */
  basis: string;
}

export const MEASURED = "measured";
export const COMPUTED = "computed from the rows above";
export const estimate = (source: string) => `estimate: ${source}`;

export const whole = (value: number) => Math.round(value).toLocaleString("en");
export const digits = (value: number) =>
  Number(value.toPrecision(2)).toLocaleString("en", { maximumFractionDigits: 3 });

export const HOUR = 3_600;

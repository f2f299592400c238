import { shown } from "../evaluation/sentences.ts";
import { tuningText } from "./sentences.ts";
import type { TunedSettings } from "./settings.ts";
import type { Tuning } from "./tune.ts";

/** Returns what a tuning found, in lines. */
export const tuningReport = (tuning: Tuning, metric: string): string =>
  reportOf(tuning, metric, described(tuning.best));

/** Returns what a tuning found, with its best settings in words. */
export function reportOf(tuning: Omit<Tuning, "best">, metric: string, best: string): string {
  const { current, tuned, gain, settings, queries = 0 } = tuning;
  const interval = `${shown(gain.mean)} (95 % interval ${shown(gain.low)} to ${shown(gain.high)})`;
  return [
    `${settings} settings, computed from one retrieval of ${queries} queries`,
    `current  ${shown(current)} ${metric}`,
    `best     ${shown(tuned)} ${metric}: ${best}`,
    `gain     ${interval} on queries that were not used for the choice`,
    `\n${tuningText({ ...tuning, metric })}`,
  ].join("\n");
}

function described({ weights, normalization, combination, candidates: depth, k }: TunedSettings): string {
  const parts = [weights ? `weights ${weights.join(", ")}` : "equal weights", normalization, combination];
  return [...parts, `${depth} candidates`, ...(k === null ? [] : [`k ${k}`])].join("; ");
}

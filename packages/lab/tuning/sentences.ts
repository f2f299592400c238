import { shown } from "../evaluation/sentences.ts";
import type { Tuning } from "./tune.ts";

/** Returns the verdict on a tuning in sentences: whether its gain is real, how large, and what to do. */
export function tuningText({
  gain,
  isReal,
  doubt,
  queries,
  metric,
}: Omit<Tuning, "best"> & { metric?: string }): string {
  const on = ` From ${queries} queries.`;
  if (doubt !== undefined) return `${doubt}${on} Keep the current settings.`;
  const size = `${shown(gain.mean)}${metric ? ` ${metric}` : ""} (95 % interval ${shown(gain.low)} to ${shown(gain.high)})`;
  if (gain.high < 0)
    return `The choice is worse on queries that were not used for it: ${size}.${on} Keep the current settings.`;
  return isReal
    ? `The best settings are better by more than noise: by ${size} on queries that were not used for the choice.${on}`
    : `No clear difference: the gain of ${size} may be noise.${on} Keep the current settings.`;
}

import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import type { SettingsFile } from "../evaluation/settings-file.ts";

/** The part of a stored tuning that says what it chose. */
const Chosen = v.object({
  best: v.object({ weights: v.nullable(v.array(v.number())), normalization: v.string(), combination: v.string() }),
});

/**
 * Warns of settings that a tuning on the same judgments chose: the queries that chose them measure them too high. `tunings`
 * are results of `relevance tune`; those of another shape are left out.
 */
export function tunedBefore({ settings }: SettingsFile, tunings: readonly unknown[]): string[] {
  const chosen = tunings.flatMap((result) => {
    const found = v.safeParse(Chosen, result);
    return found.success ? [techniques({ ...found.output.best, weights: found.output.best.weights ?? undefined })] : [];
  });
  return settings.flatMap((setting) =>
    chosen.some((one) => isDeepStrictEqual(one, techniques(setting.settings)))
      ? [
          `${setting.name} has the settings that a tuning chose on these judgments, so it looks better than it is: believe ` +
            "the gain that the tuning found on unseen queries, or judge other queries",
        ]
      : [],
  );
}

const techniques = ({ weights, normalization, combination }: SettingsFile["settings"][number]["settings"]) => ({
  weights,
  normalization,
  combination,
});

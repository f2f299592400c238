import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import type { EvaluatedSetting, Fusion } from "../evaluation/scores.ts";
import type { SettingsFile } from "../evaluation/settings-file.ts";

/** The part of a stored tuning that says what it chose, and the metric before and after. */
const Chosen = v.object({
  best: v.object({ weights: v.nullable(v.array(v.number())), normalization: v.string(), combination: v.string() }),
  current: v.number(),
  tuned: v.number(),
});

/**
 * Warns of settings that a tuning on the same judgments chose: the queries that chose them measure them too high. It goes by
 * how the gateway fused, since the defaults of the index may be what was tuned. `tunings` are results of `relevance tune`;
 * those of another shape are left out.
 */
export function tunedBefore(
  { settings }: SettingsFile,
  evaluated: readonly Pick<EvaluatedSetting, "name" | "fusedBy">[],
  tunings: readonly unknown[],
): string[] {
  const chosen = tunings.flatMap((result): Fusion[] => {
    const found = v.safeParse(Chosen, result);
    // A tuning that found nothing better has chosen nothing.
    return found.success && found.output.tuned !== found.output.current ? [found.output.best] : [];
  });
  // The tuning used the file's template. A setting with a template of its own says nothing about it.
  const tunable = new Set(settings.flatMap(({ name, template }) => (template === undefined ? [name] : [])));
  return evaluated.flatMap(({ name, fusedBy }) =>
    tunable.has(name) && chosen.some((one) => isDeepStrictEqual(one, fusedBy))
      ? [
          `${name} has the settings that a tuning chose on these judgments, so it looks better than it is: believe ` +
            "the gain that the tuning found on unseen queries, or judge other queries",
        ]
      : [],
  );
}

import type { IndexSettings } from "../../gateway/settings.ts";
import type { AppliedHybridSettings, HybridSettings } from "./request.ts";

/**
 * Returns the settings of a search: those of the request, else those of the index. Weights of the index apply only to
 * searches with as many subqueries, and not to a request that names another technique.
 */
export function appliedSettings(
  asked: HybridSettings,
  defaults: IndexSettings["settings"],
  subqueries: number,
): AppliedHybridSettings {
  const normalization = asked.normalization ?? defaults.normalization;
  const combination = asked.combination ?? defaults.combination;
  const isDefault = normalization === defaults.normalization && combination === defaults.combination;
  const fitting = isDefault && defaults.weights?.length === subqueries ? defaults.weights : null;
  return { weights: asked.weights ?? fitting, normalization, combination };
}

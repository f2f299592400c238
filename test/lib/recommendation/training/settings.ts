import type { TrainingSettings } from "../../../../lib/recommendation/training/settings.ts";

const base = { parameters: [], excluded_dataset_columns: [], min_provisioned_tps: 1, columns: "0" };

/** All three recipes over all events. */
export const NDCG_ANY: TrainingSettings = {
  project: "p",
  recipes: {
    user_personalization: { ...base, recipe_name: "aws-user-personalization" },
    similar_items: { ...base, recipe_name: "aws-sims" },
    personalized_ranking: { ...base, recipe_name: "aws-personalized-ranking" },
  },
  metric_gate: { tolerance: 0.1, strict: false },
  tags: { team: "books" },
};

/** One recipe with settings of its own. */
export function onlyUsers(
  change: Partial<NonNullable<TrainingSettings["recipes"]["user_personalization"]>> = {},
): TrainingSettings {
  const user_personalization = { ...base, recipe_name: "aws-user-personalization", ...change };
  return { ...NDCG_ANY, recipes: { user_personalization } };
}

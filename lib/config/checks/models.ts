import type { Check } from "./drafts.ts";

/** Keys that describe an endpoint of the project's own. */
const OF_OWN_ENDPOINT = [
  "initial_instance_count",
  "instance_type",
  "max_instance_count",
  "target_concurrency",
  "model_id",
  "model_data",
  "vpc_config",
];

/**
 * Checks that a model has either an existing endpoint or what the project needs to deploy one, and that it is known which
 * files a model of the user's own has.
 */
export const checkModels: Check = ({ model }, report) => {
  for (const name of ["dense_large_en_v1_5", "sparse_v3"] as const) {
    const section = model?.[name];
    if (!section) continue;
    const has = (key: string) => Object.hasOwn(section, key);
    const problem = (key: string, message: string) => report("model", [name, key], message);
    if (has("endpoint_name")) {
      for (const key of OF_OWN_ENDPOINT.filter(has)) {
        problem(key, "has no effect on the existing endpoint that endpoint_name names: remove one of the two");
      }
      continue;
    }
    for (const key of ["initial_instance_count", "instance_type"].filter((key) => !has(key))) {
      problem(key, "is missing: the project's endpoint needs it. For an existing endpoint, set endpoint_name instead");
    }
    if (!has("model_id")) continue;
    if (!has("dimension")) problem("dimension", "is missing: model_id names a model whose dimension is not known");
    if (!has("revision") && !has("model_data")) {
      problem(
        "revision",
        "is missing: without it, or model_data, a new instance could download other files than those that embedded the stored documents",
      );
    }
  }
};

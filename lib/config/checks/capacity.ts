import { atMost, type Check } from "./drafts.ts";

/** Checks that no minimum exceeds its maximum. */
export const checkCapacity: Check = ({ project, api, model }, report) => {
  const scaling = project?.opensearch?.auto_scaling;
  const scalingPath = ["opensearch", "auto_scaling"];
  atMost(
    (message) => report("project", [...scalingPath, "min_instance_count"], message),
    scaling?.min_instance_count,
    scaling?.max_instance_count,
    "max_instance_count",
  );
  const down = scaling?.scale_down_cpu_util_threshold;
  const up = scaling?.scale_up_cpu_util_threshold;
  if (down !== undefined && up !== undefined && down >= up) {
    const message = `must be below scale_up_cpu_util_threshold (${up}), got ${down}`;
    report("project", [...scalingPath, "scale_down_cpu_util_threshold"], message);
  }

  for (const name of ["api_router", "log_handler", "recommendation_api"] as const) {
    const concurrency = api?.provisioned_concurrency?.[name];
    atMost(
      (message) => report("api", ["provisioned_concurrency", name, "min_capacity"], message),
      concurrency?.min_capacity,
      concurrency?.max_capacity,
      "max_capacity",
    );
  }
  // Lambda rejects provisioned concurrency above the reserved concurrency.
  for (const name of ["api_router", "recommendation_api"] as const) {
    atMost(
      (message) => report("api", ["provisioned_concurrency", name, "max_capacity"], message),
      api?.provisioned_concurrency?.[name]?.max_capacity,
      api?.reserved_concurrency?.[name],
      `reserved_concurrency.${name}`,
    );
  }

  const { dense_large_en_v1_5: dense, sparse_v3: sparse, previous } = model ?? {};
  for (const [path, section] of [
    [["dense_large_en_v1_5"], dense],
    [["dense_large_en_v1_5", "documents"], dense?.documents],
    [["sparse_v3"], sparse],
    [["previous", "dense_large_en_v1_5"], previous?.dense_large_en_v1_5],
  ] as const) {
    atMost(
      (message) => report("model", [...path, "initial_instance_count"], message),
      section?.initial_instance_count,
      section?.max_instance_count,
      "max_instance_count",
    );
  }
};

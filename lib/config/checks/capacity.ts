import { atMost, type Check } from "./drafts.ts";

/** Checks that no minimum exceeds its maximum. */
export const checkCapacity: Check = ({ project, api, model }, report) => {
  const scaling = project?.opensearch?.auto_scaling;
  const scalingPath = ["opensearch", "auto_scaling"];
  atMost(report, "project", scalingPath, scaling, "min_instance_count", "max_instance_count");
  const down = scaling?.scale_down_cpu_util_threshold;
  const up = scaling?.scale_up_cpu_util_threshold;
  if (down !== undefined && up !== undefined && down >= up) {
    const message = `must be below scale_up_cpu_util_threshold (${up}), got ${down}`;
    report("project", [...scalingPath, "scale_down_cpu_util_threshold"], message);
  }

  for (const name of ["api_router", "log_handler", "recommendation_api"] as const) {
    const concurrency = api?.provisioned_concurrency?.[name];
    const path = ["provisioned_concurrency", name];
    atMost(report, "api", path, concurrency, "min_capacity", "max_capacity");
    // Lambda rejects provisioned concurrency above the reserved concurrency.
    const reserved = name === "log_handler" ? undefined : api?.reserved_concurrency?.[name];
    const most = `reserved_concurrency.${name}`;
    atMost(report, "api", path, { max_capacity: concurrency?.max_capacity, [most]: reserved }, "max_capacity", most);
  }

  const { dense_large_en_v1_5: dense, sparse_v3: sparse, previous } = model ?? {};
  for (const [path, section] of [
    [["dense_large_en_v1_5"], dense],
    [["dense_large_en_v1_5", "documents"], dense?.documents],
    [["sparse_v3"], sparse],
    [["previous", "dense_large_en_v1_5"], previous?.dense_large_en_v1_5],
  ] as const) {
    atMost(report, "model", path, section, "initial_instance_count", "max_instance_count");
  }
};

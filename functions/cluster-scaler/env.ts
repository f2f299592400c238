import * as v from "valibot";

const Text = v.pipe(v.string(), v.nonEmpty());
const Count = v.pipe(v.string(), v.regex(/^[1-9]\d{0,3}$/), v.transform(Number));

/** The environment of cluster-scaler, which the stack sets. */
export const ClusterScalerEnv = v.object({
  DOMAIN_NAME: Text,
  /** Account of the domain, a dimension of its metrics. */
  ACCOUNT_ID: v.pipe(v.string(), v.regex(/^\d{12}$/)),
  /** opensearch.auto_scaling of project.yaml. */
  MIN_INSTANCE_COUNT: Count,
  MAX_INSTANCE_COUNT: Count,
  SCALE_DOWN_CPU_PERCENT: Count,
  SCALE_UP_CPU_PERCENT: Count,
});

export type ClusterScalerEnv = v.InferOutput<typeof ClusterScalerEnv>;

/** What the stack must put into the function's environment. */
export type ClusterScalerEnvInput = v.InferInput<typeof ClusterScalerEnv>;

import * as v from "valibot";
import { AccountId, Text, WholeNumber } from "../../lib/platform/environment.ts";

/** The environment of cluster-scaler, which the stack sets. */
export const ClusterScalerEnv = v.object({
  DOMAIN_NAME: Text,
  /** Account of the domain, a dimension of its metrics. */
  ACCOUNT_ID: AccountId,
  /** opensearch.auto_scaling of project.yaml. */
  MIN_INSTANCE_COUNT: WholeNumber,
  MAX_INSTANCE_COUNT: WholeNumber,
  SCALE_DOWN_CPU_PERCENT: WholeNumber,
  SCALE_UP_CPU_PERCENT: WholeNumber,
});

export type ClusterScalerEnv = v.InferOutput<typeof ClusterScalerEnv>;

/** The environment as the stack writes it. */
export type ClusterScalerEnvInput = v.InferInput<typeof ClusterScalerEnv>;

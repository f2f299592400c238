import * as v from "valibot";
import { Text, WholeNumber } from "../../lib/platform/environment.ts";

/** The environment of etl, which the stack sets. Schemas and source columns are in `config.json` beside the bundle. */
export const EtlEnv = v.object({
  BUCKET: Text,
  USERS_TABLE: Text,
  ITEMS_TABLE: Text,
  POPULAR_ITEMS_TABLE: Text,
  BUILT_IN_TABLE: Text,
  /** personalize.log_lookback_days of project.yaml. */
  LOG_LOOKBACK_DAYS: WholeNumber,
  /** personalize.force_reprocess_lookback_days of project.yaml. */
  FORCE_REPROCESS_LOOKBACK_DAYS: WholeNumber,
  /** Memory of the engine, which writes what exceeds this to the function's disk. */
  ENGINE_MEMORY_MB: WholeNumber,
});

export type EtlEnv = v.InferOutput<typeof EtlEnv>;

/** The environment as the stack writes it. */
export type EtlEnvInput = v.InferInput<typeof EtlEnv>;

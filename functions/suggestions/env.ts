import { Text, WholeNumber } from "../../lib/platform/environment.ts";
import { clusterEnv } from "../../lib/search/opensearch/cluster-env.ts";

/** The environment of suggestions, which the stack sets. What it suggests is in `config.json` beside the bundle. */
export const SuggestionsEnv = clusterEnv({
  /** Bucket of the request log. */
  BUCKET: Text,
  /** Memory of the engine, which writes what exceeds this to the function's disk. */
  ENGINE_MEMORY_MB: WholeNumber,
});

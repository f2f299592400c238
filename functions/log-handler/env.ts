import * as v from "valibot";
import { Text } from "../../lib/platform/environment.ts";

/** The environment of log-handler and recommendation-log-handler, which the stack sets. */
export const LogHandlerEnv = v.object({
  /** Dimension of the metric, as for the metrics of the function that writes the lines. */
  PROJECT_NAME: Text,
  /** Name of the Firehose stream that writes to the bucket. */
  FIREHOSE_STREAM: Text,
});

export type LogHandlerEnv = v.InferOutput<typeof LogHandlerEnv>;

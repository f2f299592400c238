import * as v from "valibot";

/** The environment of log-handler and recommendation-log-handler, which the stack sets. */
export const LogHandlerEnv = v.object({
  /** Dimension of the metric, as for the metrics of the function that writes the lines. */
  PROJECT_NAME: v.pipe(v.string(), v.nonEmpty()),
  /** Name of the Firehose stream that writes to the bucket. */
  FIREHOSE_STREAM: v.pipe(v.string(), v.nonEmpty()),
});

export type LogHandlerEnv = v.InferOutput<typeof LogHandlerEnv>;

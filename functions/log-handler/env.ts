import * as v from "valibot";

/** The environment of log-handler; the stack fills it. */
export const LogHandlerEnv = v.object({
  /** Dimension of the metric, as in api-router's. */
  PROJECT_NAME: v.pipe(v.string(), v.nonEmpty()),
  /** Name of the Firehose stream that writes to the bucket under `logs/search/`. */
  FIREHOSE_STREAM: v.pipe(v.string(), v.nonEmpty()),
});

export type LogHandlerEnv = v.InferOutput<typeof LogHandlerEnv>;

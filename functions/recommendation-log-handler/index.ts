import { FirehoseClient } from "@aws-sdk/client-firehose";
import { createHandler, firehoseBatches, LogHandlerEnv } from "../../lib/aws/log-lines.ts";
import { readEnvironment } from "../../lib/core/environment.ts";

export const handler = createHandler(readEnvironment(LogHandlerEnv, process.env), {
  putRecordBatch: firehoseBatches(new FirehoseClient({ maxAttempts: 1 })),
  print: (line) => process.stdout.write(`${line}\n`),
});

import { FirehoseClient } from "@aws-sdk/client-firehose";
import { firehoseBatches } from "../../lib/platform/aws/log-lines.ts";
import { readEnvironment } from "../../lib/platform/environment.ts";
import { LogHandlerEnv } from "./env.ts";
import { createHandler } from "./handler.ts";

export const handler = createHandler(readEnvironment(LogHandlerEnv, process.env), {
  putRecordBatch: firehoseBatches(new FirehoseClient({ maxAttempts: 1 })),
  print: (line) => process.stdout.write(`${line}\n`),
});

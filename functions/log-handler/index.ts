import { FirehoseClient, PutRecordBatchCommand } from "@aws-sdk/client-firehose";
import { readEnvironment } from "../../lib/core/environment.ts";
import { LogHandlerEnv } from "./env.ts";
import { createHandler } from "./handler.ts";

const firehose = new FirehoseClient({ maxAttempts: 1 });

export const handler = createHandler(readEnvironment(LogHandlerEnv, process.env), {
  async putRecordBatch(DeliveryStreamName, records, abortSignal) {
    const Records = records.map((Data) => ({ Data }));
    const answer = await firehose.send(new PutRecordBatchCommand({ DeliveryStreamName, Records }), { abortSignal });
    return (answer.RequestResponses ?? []).map(({ ErrorCode }) => ErrorCode);
  },
  print: (line) => process.stdout.write(`${line}\n`),
});

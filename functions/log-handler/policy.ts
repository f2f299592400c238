import { type Statement, writeLogs } from "../../lib/aws/iam-statement.ts";

/** What log-handler may do: write to its stream and to its own log group. */
export function logHandlerPolicy(arns: { firehoseStream: string; logGroup: string }): Statement[] {
  return [
    { sid: "PassLinesOn", actions: ["firehose:PutRecordBatch"], resources: [arns.firehoseStream] },
    writeLogs(arns.logGroup),
  ];
}

import { type Statement, writeLogs } from "../../lib/aws/iam-statement.ts";

/** Returns the permissions of log-handler: write to its stream and to its log group. */
export function logHandlerPolicy(arns: { firehoseStream: string; logGroup: string }): Statement[] {
  return [
    { sid: "PassLinesOn", actions: ["firehose:PutRecordBatch"], resources: [arns.firehoseStream] },
    writeLogs(arns.logGroup),
  ];
}

import { type Statement, writeLogs } from "../../lib/platform/aws/iam-statement.ts";

/**
 * Returns the permissions of log-handler or recommendation-log-handler: write to its stream and log group, and keep failed
 * events in its queue.
 */
export function logHandlerPolicy(arns: {
  firehoseStream: string;
  failedEvents: string;
  logGroup: string;
}): Statement[] {
  return [
    { sid: "PassLinesOn", actions: ["firehose:PutRecordBatch"], resources: [arns.firehoseStream] },
    {
      // Lambda itself sends and receives, with the role of the function.
      sid: "KeepFailedEvents",
      actions: ["sqs:SendMessage", "sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"],
      resources: [arns.failedEvents],
    },
    writeLogs(arns.logGroup),
  ];
}

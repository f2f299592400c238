import { type Statement, writeLogs } from "../../lib/platform/aws/iam-statement.ts";

/** Returns the permissions of realtime-sync: receive from its queue, read the tables, write to two datasets. */
export function realtimeSyncPolicy(arns: {
  queue: string;
  usersTable: string;
  itemsTable: string;
  usersDataset: string;
  itemsDataset: string;
  logGroup: string;
}): Statement[] {
  return [
    {
      sid: "TakeMessages",
      actions: ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"],
      resources: [arns.queue],
    },
    { sid: "ReadRecords", actions: ["dynamodb:BatchGetItem"], resources: [arns.usersTable, arns.itemsTable] },
    { sid: "PutUsers", actions: ["personalize:PutUsers"], resources: [arns.usersDataset] },
    { sid: "PutItems", actions: ["personalize:PutItems"], resources: [arns.itemsDataset] },
    writeLogs(arns.logGroup),
  ];
}

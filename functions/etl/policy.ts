import { type Statement, writeLogs } from "../../lib/platform/aws/iam-statement.ts";
import { PREFIXES } from "../../lib/platform/naming/object-keys.ts";

/** Returns the permissions of etl: read events and tables, and write, replace and delete its own objects and rows. */
export function etlPolicy(arns: {
  bucket: string;
  /** KMS key of the bucket. */
  key: string;
  usersTable: string;
  itemsTable: string;
  popularItemsTable: string;
  builtInTable: string;
  logGroup: string;
}): Statement[] {
  const { events, etl } = PREFIXES;
  return [
    // No condition on the prefix. S3 answers 404 for a missing object only to callers that may list the bucket, and
    // GetObject has no prefix that a condition could match. With a condition, a missing object would be 403 instead.
    { sid: "ListTheBucket", actions: ["s3:ListBucket"], resources: [arns.bucket] },
    { sid: "ReadEvents", actions: ["s3:GetObject"], resources: [`${arns.bucket}/${events}*`] },
    {
      sid: "KeepRuns",
      actions: ["s3:GetObject", "s3:PutObject", "s3:DeleteObject"],
      resources: [`${arns.bucket}/${etl}*`],
    },
    { sid: "UseTheBucketsKey", actions: ["kms:Decrypt", "kms:GenerateDataKey"], resources: [arns.key] },
    {
      sid: "ReadTables",
      actions: ["dynamodb:DescribeTable", "dynamodb:Scan"],
      resources: [arns.usersTable, arns.itemsTable],
    },
    {
      sid: "ReplaceNeighbours",
      actions: ["dynamodb:BatchWriteItem", "dynamodb:Scan"],
      resources: [arns.builtInTable],
    },
    { sid: "ReplacePopularItems", actions: ["dynamodb:PutItem"], resources: [arns.popularItemsTable] },
    writeLogs(arns.logGroup),
  ];
}

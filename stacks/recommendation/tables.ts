import { DynamodbTable } from "@cdktf/provider-aws/lib/dynamodb-table/index.js";
import type { Statement } from "../../lib/aws/iam-statement.ts";
import type { TableName } from "../../lib/core/naming/names.ts";
import { INGESTION_EXPIRES, INGESTION_KEYS } from "../../lib/recommendation/clients/accepted-events.ts";
import { ID_COLUMNS } from "../../lib/recommendation/records/profile.ts";
import type { ProjectStack } from "../project-stack.ts";

/**
 * Key attributes, partition key first. Those of `popular-items` and `training` are repeated here, since the modules that
 * define them load the AWS SDK; a test compares both.
 */
export const TABLE_KEYS: Readonly<Record<TableName, readonly [partition: string, sort?: string]>> = {
  users: [ID_COLUMNS.user],
  items: [ID_COLUMNS.item],
  "popular-items": ["LIST"],
  training: ["KEY"],
  ingestion: [INGESTION_KEYS.partition, INGESTION_KEYS.sort],
};

/** Adds the tables: billed per request, encrypted, with point-in-time recovery for 35 days. Returns them by name. */
export function tables(stack: ProjectStack, keyArn: string): Readonly<Record<TableName, DynamodbTable>> {
  const names = Object.keys(TABLE_KEYS) as TableName[];
  const made = names.map((name) => [name, table(stack, name, keyArn)] as const);
  return Object.fromEntries(made) as Record<TableName, DynamodbTable>;
}

function table(stack: ProjectStack, name: TableName, kmsKeyArn: string): DynamodbTable {
  const [hashKey, rangeKey] = TABLE_KEYS[name];
  const keys = rangeKey === undefined ? [hashKey] : [hashKey, rangeKey];
  return new DynamodbTable(stack, `table-${name}`, {
    name: stack.names.table(name),
    billingMode: "PAY_PER_REQUEST",
    hashKey,
    ...(rangeKey !== undefined && { rangeKey }),
    attribute: keys.map((key) => ({ name: key, type: "S" })),
    pointInTimeRecovery: { enabled: true },
    serverSideEncryption: { enabled: true, kmsKeyArn },
    ...(name === "ingestion" && { ttl: { enabled: true, attributeName: INGESTION_EXPIRES } }),
    // Replacing a table would lose its data. `removal.ts` plans the removal without this file.
    lifecycle: { preventDestroy: true },
  });
}

/** DynamoDB uses a table's key with the caller's permissions. Source: "Encryption at rest", DynamoDB guide. */
export function useTables({ input }: ProjectStack, keyArn: string): Statement {
  return {
    sid: "UseTheTablesKey",
    actions: [
      "kms:Decrypt",
      "kms:DescribeKey",
      "kms:Encrypt",
      "kms:GenerateDataKey",
      "kms:ReEncryptFrom",
      "kms:ReEncryptTo",
    ],
    resources: [keyArn],
    conditions: { StringEquals: { "kms:ViaService": `dynamodb.${input.discovery.region}.amazonaws.com` } },
  };
}

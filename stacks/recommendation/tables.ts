import { DynamodbTable } from "#aws/dynamodb-table";
import type { Statement } from "../../lib/platform/aws/iam-statement.ts";
import type { TableName } from "../../lib/platform/naming/names.ts";
import { EXPIRES, EXPIRING, TABLE_KEYS, TABLES } from "../../lib/recommendation/records/tables.ts";
import type { ProjectStack } from "../project-stack.ts";

/** Creates the tables: billed per request, encrypted, and recoverable to any second of the last 35 days. */
export function tables(stack: ProjectStack, keyArn: string): Readonly<Record<TableName, DynamodbTable>> {
  const made = TABLES.map((name) => [name, table(stack, name, keyArn)] as const);
  return Object.fromEntries(made) as Record<TableName, DynamodbTable>;
}

function table(stack: ProjectStack, name: TableName, kmsKeyArn: string): DynamodbTable {
  const hashKey = TABLE_KEYS[name];
  return new DynamodbTable(stack, `table-${name}`, {
    name: stack.names.table(name),
    billingMode: "PAY_PER_REQUEST",
    hashKey,
    attribute: [{ name: hashKey, type: "S" }],
    pointInTimeRecovery: { enabled: true },
    serverSideEncryption: { enabled: true, kmsKeyArn },
    ...(EXPIRING.includes(name) && { ttl: { enabled: true, attributeName: EXPIRES } }),
    // Replacing a table would lose its data. `removal.ts` plans the removal without this file.
    lifecycle: { preventDestroy: true },
  });
}

/** DynamoDB uses a table's key with the caller's permissions. Source: "Encryption at rest", DynamoDB guide. */
export function useTables({ names }: ProjectStack, keyArn: string): Statement {
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
    conditions: { StringEquals: { "kms:ViaService": names.viaService("dynamodb") } },
  };
}

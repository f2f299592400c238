import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { isTransient } from "../../aws/errors.ts";
import { deadlineIn } from "../../core/resilience/deadline.ts";
import { retry } from "../../core/resilience/retry.ts";
import type { PopularItemsStore } from "./popular-items.ts";
import type { TableDataset, TableSource } from "./table-source.ts";

/** Throttling passes when the table has scaled: longer than a request would wait. */
const CALL_MS = 120_000;
const ATTEMPTS = 10;

/** DynamoDB tables as TableSource. The client is made without retries of its own. */
export function dynamoTables(client: DynamoDBClient, tables: Readonly<Record<TableDataset, string>>): TableSource {
  const call = <T>(operation: () => Promise<T>) =>
    retry(operation, { deadline: deadlineIn(CALL_MS), retryable: isTransient, attempts: ATTEMPTS });
  return {
    async size(dataset) {
      const { DescribeTableCommand } = await import("@aws-sdk/client-dynamodb");
      const { Table } = await call(() => client.send(new DescribeTableCommand({ TableName: tables[dataset] })));
      return Table?.TableSizeBytes ?? 0;
    },

    async scan(dataset, { segment, of, start }) {
      const { ScanCommand } = await import("@aws-sdk/lib-dynamodb");
      const { Items = [], LastEvaluatedKey } = await call(() =>
        client.send(
          new ScanCommand({
            TableName: tables[dataset],
            Segment: segment,
            TotalSegments: of,
            ConsistentRead: true,
            ...(start && { ExclusiveStartKey: start }),
          }),
        ),
      );
      return { records: Items, last: LastEvaluatedKey ?? null };
    },
  };
}

/** Key of the one record of the popular-items table. */
export const POPULAR_ITEMS_KEY = { LIST: "all" } as const;

/** The popular-items table as PopularItemsStore: one record `{LIST: "all", RUN, ITEMS}`, replaced as a whole. */
export function dynamoPopularItems(client: DynamoDBClient, table: string): PopularItemsStore {
  return {
    async write({ run, items }) {
      const { PutCommand } = await import("@aws-sdk/lib-dynamodb");
      const Item = { ...POPULAR_ITEMS_KEY, RUN: run, ITEMS: fitting(items.map(({ item_id }) => item_id)) };
      await retry(() => client.send(new PutCommand({ TableName: table, Item })), {
        deadline: deadlineIn(CALL_MS),
        retryable: isTransient,
        attempts: ATTEMPTS,
      });
    },
  };
}

/** A record holds 400 KB; a thousand ids of 256 characters of several bytes each would be more. */
const MAX_IDS_BYTES = 350_000;

/** The first ids that fit into one record: the less popular ones go. */
export function fitting(ids: readonly string[]): string[] {
  let bytes = 0;
  return ids.filter((id) => {
    // Three bytes are the list's own for each entry.
    bytes += Buffer.byteLength(id) + 3;
    return bytes <= MAX_IDS_BYTES;
  });
}

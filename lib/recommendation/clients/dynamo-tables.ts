import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { patientCalls } from "../../aws/call.ts";
import type { PopularItemsStore } from "../etl/finish.ts";
import type { TableDataset, TableSource } from "../etl/scan.ts";

/** Long enough for a throttled table to scale up, and longer than an API request would wait. */
const patient = () => patientCalls(120_000, 10);

/** Implements TableSource with DynamoDB tables. The client must have its own retries turned off. */
export function dynamoTables(client: DynamoDBClient, tables: Readonly<Record<TableDataset, string>>): TableSource {
  const call = patient();
  return {
    async size(dataset) {
      const { DescribeTableCommand } = await import("@aws-sdk/client-dynamodb");
      const { Table } = await call((options) =>
        client.send(new DescribeTableCommand({ TableName: tables[dataset] }), options),
      );
      return Table?.TableSizeBytes ?? 0;
    },

    async scan(dataset, { segment, of, start }) {
      const { ScanCommand } = await import("@aws-sdk/lib-dynamodb");
      const command = new ScanCommand({
        TableName: tables[dataset],
        Segment: segment,
        TotalSegments: of,
        ConsistentRead: true,
        ...(start && { ExclusiveStartKey: start }),
      });
      const { Items = [], LastEvaluatedKey } = await call((options) => client.send(command, options));
      return { records: Items, last: LastEvaluatedKey ?? null };
    },
  };
}

/** The key of the only record in the popular-items table. */
export const POPULAR_ITEMS_KEY = { LIST: "all" } as const;

/** Implements PopularItemsStore with a table of one record, `{LIST: "all", RUN, ITEMS}`. Each write replaces it. */
export function dynamoPopularItems(client: DynamoDBClient, table: string): PopularItemsStore {
  const call = patient();
  return {
    async write({ run, items }) {
      const { PutCommand } = await import("@aws-sdk/lib-dynamodb");
      const Item = { ...POPULAR_ITEMS_KEY, RUN: run, ITEMS: fitting(items.map(({ item_id }) => item_id)) };
      await call((options) => client.send(new PutCommand({ TableName: table, Item }), options));
    },
  };
}

/** A record holds at most 400 KB. A thousand ids of 256 multi-byte characters would exceed that. */
const MAX_IDS_BYTES = 350_000;

/** Returns the first, most popular ids that fit into one record. */
export function fitting(ids: readonly string[]): string[] {
  let bytes = 0;
  return ids.filter((id) => {
    // The list itself adds three bytes for each entry.
    bytes += Buffer.byteLength(id) + 3;
    return bytes <= MAX_IDS_BYTES;
  });
}

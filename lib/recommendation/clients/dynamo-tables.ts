import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { patientCalls } from "../../platform/aws/call.ts";
import type { ProfileDataset } from "../../platform/contract/recommendation.ts";
import { EVENT_TYPES_KEY, NEWEST_ITEMS_KEY, POPULAR_ITEMS_KEY } from "../records/tables.ts";

/** Budget of a call: long enough for a throttled table to scale up, longer than an API request would wait. */
const patient = () => patientCalls(120_000, 10);

/** One of `of` segments of a table, and where to start: the key of the last record read, null for the first. */
interface Segment {
  segment: number;
  of: number;
  start: Readonly<Record<string, unknown>> | null;
}

/** The tables of users and items. The client must have its own retries turned off. */
export function dynamoTables(client: DynamoDBClient, tables: Readonly<Record<ProfileDataset, string>>) {
  const call = patient();
  return {
    /** Returns the approximate size of a table in bytes. It may be hours old. */
    async size(dataset: ProfileDataset): Promise<number> {
      const { DescribeTableCommand } = await import("@aws-sdk/client-dynamodb");
      const { Table } = await call((options) =>
        client.send(new DescribeTableCommand({ TableName: tables[dataset] }), options),
      );
      return Table?.TableSizeBytes ?? 0;
    },

    /** Reads one page of a segment, at most 1 MB, with strong consistency, and where to start next: null at the end. */
    async scan(
      dataset: ProfileDataset,
      { segment, of, start }: Segment,
    ): Promise<{ records: readonly Readonly<Record<string, unknown>>[]; last: Segment["start"] }> {
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

/** See {@link dynamoTables}. */
export type TableSource = ReturnType<typeof dynamoTables>;

/** The popular items of an ETL run, most popular first. The API returns them if no campaign can answer. */
export interface PopularItems {
  run: string;
  items: readonly { item_id: string; events: number }[];
  /** Newest first; none if the items have no CREATION_TIMESTAMP. */
  newest: readonly string[];
  /** The event types that the run imports. The API passes no others on in real time. */
  eventTypes: readonly string[];
}

/** A table of three records: `{LIST: "all" or "newest", RUN, ITEMS}`, `{LIST: "event-types", RUN, TYPES}`. Writes replace them. */
export function dynamoPopularItems(client: DynamoDBClient, table: string) {
  const call = patient();
  return {
    async write({ run, items, newest, eventTypes }: PopularItems): Promise<void> {
      const { PutCommand } = await import("@aws-sdk/lib-dynamodb");
      const put = (Item: Readonly<Record<string, unknown>>) =>
        call((options) => client.send(new PutCommand({ TableName: table, Item }), options));
      await put({ ...POPULAR_ITEMS_KEY, RUN: run, ITEMS: fitting(items.map(({ item_id }) => item_id)) });
      await put({ ...NEWEST_ITEMS_KEY, RUN: run, ITEMS: fitting(newest) });
      await put({ ...EVENT_TYPES_KEY, RUN: run, TYPES: eventTypes });
    },
  };
}

/** See {@link dynamoPopularItems}. */
export type PopularItemsStore = ReturnType<typeof dynamoPopularItems>;

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

import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { chunks, retryUnprocessed } from "../../aws/call.ts";
import { type StoreFailure, whyLeft } from "../../aws/store-failure.ts";
import type { ProfileDataset } from "../../core/contract/recommendation.ts";
import { concurrently } from "../../core/resilience/concurrently.ts";
import type { Deadline } from "../../core/resilience/deadline.ts";
import type { Profile } from "../records/profile.ts";
import { ID_COLUMNS } from "../records/tables.ts";

/** The most keys in one BatchGetItem call, and puts in one BatchWriteItem call. Source: API reference. */
const MAX_KEYS = 100;
const MAX_PUTS = 25;

const PARALLEL_CALLS = 8;

/** The result of a read. An id that is neither in `records` nor in `unread` has no record. */
export interface ReadRecords {
  records: ReadonlyMap<string, Profile>;
  /** Ids whose records could not be read. */
  unread: ReadonlySet<string>;
  /** Undefined if all were read. */
  failure: StoreFailure | undefined;
}

/** The tables of users and items. The operations never reject: their results contain the failures. */
export interface RecordStore {
  /** Reads records by id. With `consistent`, the read sees every completed write. */
  read(
    dataset: ProfileDataset,
    ids: readonly string[],
    deadline: Deadline,
    options?: { consistent?: boolean },
  ): Promise<ReadRecords>;
  /** Stores records, replacing those with the same ids. Returns the failures of records that were not stored, by id. */
  write(
    dataset: ProfileDataset,
    records: readonly Profile[],
    deadline: Deadline,
  ): Promise<ReadonlyMap<string, StoreFailure>>;
}

/** The name of each table in messages to clients. */
const STORE_NAMES = { user: "the user store", item: "the item store" } as const satisfies Record<
  ProfileDataset,
  string
>;

/** Implements RecordStore with DynamoDB tables. The client must have its own retries turned off. */
export function dynamoRecords(
  connect: () => Promise<DynamoDBClient>,
  tables: Readonly<Record<ProfileDataset, string>>,
  timeoutMs: number,
): RecordStore {
  const sdk = () => import("@aws-sdk/lib-dynamodb");
  return {
    async read(dataset, ids, deadline, { consistent = false } = {}) {
      const table = tables[dataset];
      const idColumn = ID_COLUMNS[dataset];
      const records = new Map<string, Profile>();
      const results = await concurrently(chunks([...new Set(ids)], MAX_KEYS), PARALLEL_CALLS, (part) =>
        retryUnprocessed(part, { deadline, timeoutMs }, async (left, abortSignal) => {
          const [{ BatchGetCommand }, client] = await Promise.all([sdk(), connect()]);
          const Keys = left.map((id) => ({ [idColumn]: id }));
          const command = new BatchGetCommand({ RequestItems: { [table]: { Keys, ConsistentRead: consistent } } });
          const { Responses, UnprocessedKeys } = await client.send(command, { abortSignal });
          for (const record of Responses?.[table] ?? []) records.set(String(record[idColumn]), record);
          return (UnprocessedKeys?.[table]?.Keys ?? []).map((key) => String(key[idColumn]));
        }),
      );
      const unread = new Set(results.flatMap(({ left }) => left));
      return { records, unread, failure: unread.size > 0 ? whyLeft(STORE_NAMES[dataset], results) : undefined };
    },

    async write(dataset, records, deadline) {
      const table = tables[dataset];
      const idColumn = ID_COLUMNS[dataset];
      const results = await concurrently(chunks(records, MAX_PUTS), PARALLEL_CALLS, (part) =>
        retryUnprocessed(part, { deadline, timeoutMs }, async (left, abortSignal) => {
          const [{ BatchWriteCommand }, client] = await Promise.all([sdk(), connect()]);
          const puts = left.map((Item) => ({ PutRequest: { Item } }));
          const { UnprocessedItems } = await client.send(new BatchWriteCommand({ RequestItems: { [table]: puts } }), {
            abortSignal,
          });
          const unprocessed = new Set(
            (UnprocessedItems?.[table] ?? []).map(({ PutRequest }) => String(PutRequest?.Item?.[idColumn])),
          );
          return left.filter((record) => unprocessed.has(String(record[idColumn])));
        }),
      );
      return new Map(
        results.flatMap((result) => {
          const failure = whyLeft(STORE_NAMES[dataset], [result]);
          return result.left.map((record) => [String(record[idColumn]), failure] as const);
        }),
      );
    },
  };
}

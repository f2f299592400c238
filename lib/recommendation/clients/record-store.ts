import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { chunks, untilTaken } from "../../aws/call.ts";
import { concurrently } from "../../core/resilience/concurrently.ts";
import type { Deadline } from "../../core/resilience/deadline.ts";
import { ID_COLUMNS, type Profile, type ProfileDataset } from "../records/profile.ts";
import { type StoreFailure, whyLeft } from "./store-failure.ts";

/** Keys of one BatchGetItem, and puts of one BatchWriteItem. Source: API reference. */
const MAX_KEYS = 100;
const MAX_PUTS = 25;

const PARALLEL_CALLS = 8;

/** The result of a read: an id is in `records`, in `unread`, or has no record. */
export interface ReadRecords {
  records: ReadonlyMap<string, Profile>;
  /** Ids whose records could not be read. */
  unread: ReadonlySet<string>;
  /** Undefined when all were read. */
  failure: StoreFailure | undefined;
}

/** The tables of users and items. Neither operation rejects: the result has the failures. */
export interface RecordStore {
  /** `consistent` reads see every completed write. */
  read(
    dataset: ProfileDataset,
    ids: readonly string[],
    deadline: Deadline,
    options?: { consistent?: boolean },
  ): Promise<ReadRecords>;
  /** Puts records, each in place of the one with its id. Returns the ids that were not written, with the failure. */
  write(
    dataset: ProfileDataset,
    records: readonly Profile[],
    deadline: Deadline,
  ): Promise<ReadonlyMap<string, StoreFailure>>;
}

/** What callers read for a table. */
const STORE_NAMES = { user: "the user store", item: "the item store" } as const satisfies Record<
  ProfileDataset,
  string
>;

/** DynamoDB tables as RecordStore. The client is made without retries of its own. */
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
        untilTaken(part, { deadline, timeoutMs }, async (left, abortSignal) => {
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
        untilTaken(part, { deadline, timeoutMs }, async (left, abortSignal) => {
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

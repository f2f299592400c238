import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { chunks, untilTaken } from "../../aws/call.ts";
import { reasonOf } from "../../aws/errors.ts";
import { concurrently } from "../../core/resilience/concurrently.ts";
import type { Deadline } from "../../core/resilience/deadline.ts";
import { ID_COLUMNS, type Profile, type ProfileDataset } from "../records/profile.ts";

/** Keys of one BatchGetItem, and puts of one BatchWriteItem. Source: API reference. */
const MAX_KEYS = 100;
const MAX_PUTS = 25;

const PARALLEL_CALLS = 8;

/** What was found. An id is in `records`, in `unread`, or there is no such record. */
export interface ReadRecords {
  records: ReadonlyMap<string, Profile>;
  /** Ids whose records could not be read. */
  unread: ReadonlySet<string>;
  /** Why, fit for a caller; undefined when all were read. */
  reason: string | undefined;
}

/** The tables of users and items. Neither operation rejects: what could not be done is in the answer. */
export interface RecordStore {
  /** `consistent` reads see every write that has ended. */
  read(
    dataset: ProfileDataset,
    ids: readonly string[],
    deadline: Deadline,
    options?: { consistent?: boolean },
  ): Promise<ReadRecords>;
  /** Puts records, each in place of the one with its id; gives the ids that were not written with the reason. */
  write(dataset: ProfileDataset, records: readonly Profile[], deadline: Deadline): Promise<ReadonlyMap<string, string>>;
}

/** How a table is called in what callers read. */
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
      return { records, unread, reason: unread.size > 0 ? whyLeft(STORE_NAMES[dataset], results) : undefined };
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
        results.flatMap((result) =>
          result.left.map((record) => [String(record[idColumn]), whyLeft(STORE_NAMES[dataset], [result])] as const),
        ),
      );
    },
  };
}

/** Why a store left entries: the error of its last call, or that it answered and did not take them. */
export function whyLeft(store: string, results: readonly { left: readonly unknown[]; error: unknown }[]): string {
  const failed = results.find(({ left, error }) => left.length > 0 && error !== undefined);
  return failed ? reasonOf(store, failed.error) : `${store} is throttled`;
}

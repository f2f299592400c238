import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { call, chunks, retryUnprocessed } from "../../platform/aws/call.ts";
import { isNamed } from "../../platform/aws/errors.ts";
import { failureOf, type StoreFailure, whyLeft } from "../../platform/aws/store-failure.ts";
import type { ProfileDataset } from "../../platform/contract/recommendation.ts";
import { concurrently } from "../../platform/resilience/concurrently.ts";
import type { Deadline } from "../../platform/resilience/deadline.ts";
import type { Value } from "../records/layout.ts";
import type { Profile } from "../records/profile.ts";
import { ID_COLUMNS } from "../records/tables.ts";

/** The most keys in one BatchGetItem call, and requests in one BatchWriteItem call. Source: API reference. */
const MAX_KEYS = 100;
const MAX_WRITES = 25;

const PARALLEL_CALLS = 8;

/** Higher than for other calls, because an update changes only one record. */
const PARALLEL_UPDATES = 32;

/** The result of a read. An id that is neither in `records` nor in `unread` has no record. */
export interface ReadRecords {
  records: ReadonlyMap<string, Profile>;
  /** Ids whose records could not be read. */
  unread: ReadonlySet<string>;
  /** Undefined if all records were read. */
  failure: StoreFailure | undefined;
}

/** Columns of a record that change, at least one. */
export interface RecordChange {
  id: string;
  /** New values, by column. */
  set: Readonly<Record<string, Value>>;
  /** Columns that lose their value. */
  remove: readonly string[];
  /** Columns with a default, which is stored only if the record has no value. */
  defaults: readonly string[];
  /** Whether the record must exist, because the unchanged columns were validated with it. */
  mustExist: boolean;
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
  /** Removes records, if there are any. Returns the failures, by id. */
  remove(
    dataset: ProfileDataset,
    ids: readonly string[],
    deadline: Deadline,
  ): Promise<ReadonlyMap<string, StoreFailure>>;
  /** Changes columns of records, and leaves the others as they are. Returns the failures, by id. */
  merge(
    dataset: ProfileDataset,
    changes: readonly RecordChange[],
    deadline: Deadline,
  ): Promise<ReadonlyMap<string, StoreFailure>>;
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

/** A request of BatchWriteItem, and the record that it is about. */
interface Write {
  id: string;
  request: { PutRequest: { Item: Profile } } | { DeleteRequest: { Key: Readonly<Record<string, string>> } };
}

/** Returns the input of an update that changes some columns. */
function updateOf(idColumn: string, { id, set, remove, defaults, mustExist }: RecordChange) {
  const columns = [...Object.keys(set), ...remove];
  const nameOf = (column: string) => `#c${columns.indexOf(column)}`;
  const placeOf = (column: string) => `:v${columns.indexOf(column)}`;
  const newValue = (column: string) =>
    defaults.includes(column) ? `if_not_exists(${nameOf(column)}, ${placeOf(column)})` : placeOf(column);
  const sets = Object.keys(set).map((column) => `${nameOf(column)} = ${newValue(column)}`);
  const parts = [
    ...(sets.length > 0 ? [`SET ${sets.join(", ")}`] : []),
    ...(remove.length > 0 ? [`REMOVE ${remove.map(nameOf).join(", ")}`] : []),
  ];
  return {
    Key: { [idColumn]: id },
    UpdateExpression: parts.join(" "),
    ExpressionAttributeNames: {
      ...Object.fromEntries(columns.map((column) => [nameOf(column), column])),
      ...(mustExist && { "#id": idColumn }),
    },
    ...(sets.length > 0 && {
      ExpressionAttributeValues: Object.fromEntries(
        Object.entries(set).map(([column, value]) => [placeOf(column), value]),
      ),
    }),
    ...(mustExist && { ConditionExpression: "attribute_exists(#id)" }),
  };
}

/** Implements RecordStore with DynamoDB tables. The client must have its own retries turned off. */
export function dynamoRecords(
  connect: () => Promise<DynamoDBClient>,
  tables: Readonly<Record<ProfileDataset, string>>,
  timeoutMs: number,
): RecordStore {
  const sdk = () => import("@aws-sdk/lib-dynamodb");
  const send = async (dataset: ProfileDataset, writes: readonly Write[], deadline: Deadline) => {
    const table = tables[dataset];
    const idColumn = ID_COLUMNS[dataset];
    const results = await concurrently(chunks(writes, MAX_WRITES), PARALLEL_CALLS, (part) =>
      retryUnprocessed(part, { deadline, timeoutMs }, async (left, abortSignal) => {
        const [{ BatchWriteCommand }, client] = await Promise.all([sdk(), connect()]);
        const requests = left.map(({ request }) => request);
        const { UnprocessedItems } = await client.send(new BatchWriteCommand({ RequestItems: { [table]: requests } }), {
          abortSignal,
        });
        const unprocessed = new Set(
          (UnprocessedItems?.[table] ?? []).map(({ PutRequest, DeleteRequest }) =>
            String((PutRequest?.Item ?? DeleteRequest?.Key)?.[idColumn]),
          ),
        );
        return left.filter(({ id }) => unprocessed.has(id));
      }),
    );
    return new Map(
      results.flatMap((result) => {
        const failure = whyLeft(STORE_NAMES[dataset], [result]);
        return result.left.map(({ id }) => [id, failure] as const);
      }),
    );
  };
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

    write: (dataset, records, deadline) => {
      const idColumn = ID_COLUMNS[dataset];
      const puts = records.map((Item) => ({ id: String(Item[idColumn]), request: { PutRequest: { Item } } }));
      return send(dataset, puts, deadline);
    },

    remove: (dataset, ids, deadline) => {
      const deletions = ids.map((id) => ({ id, request: { DeleteRequest: { Key: { [ID_COLUMNS[dataset]]: id } } } }));
      return send(dataset, deletions, deadline);
    },

    async merge(dataset, changes, deadline) {
      const failed = new Map<string, StoreFailure>();
      await concurrently(changes, PARALLEL_UPDATES, async (change) => {
        try {
          const [{ UpdateCommand }, client] = await Promise.all([sdk(), connect()]);
          const command = new UpdateCommand({ TableName: tables[dataset], ...updateOf(ID_COLUMNS[dataset], change) });
          await call({ deadline, timeoutMs }, (abortSignal) => client.send(command, { abortSignal }));
        } catch (error) {
          const failure = isNamed(error, "ConditionalCheckFailedException")
            ? { reason: "it was deleted meanwhile", cause: error, isUnknown: false }
            : failureOf(STORE_NAMES[dataset], error);
          failed.set(change.id, failure);
        }
      });
      return failed;
    },
  };
}

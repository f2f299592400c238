import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type AttributeValue, BatchGetItemCommand } from "@aws-sdk/client-dynamodb";
import type { TableName } from "@relevance/lib/platform/naming/names.ts";
import { readIfThere } from "@relevance/processes/files.ts";
import type { RecommendationParts } from "./recommendation-functions.ts";

/** Tables whose writes are kept one by one, with their keys. The others are small enough to be saved whole. */
export const JOURNALED = { users: "USER_ID", items: "ITEM_ID" } as const;

/** The name of a table in {@link JOURNALED}. */
export type Journaled = keyof typeof JOURNALED;

export const isJournaled = (table: TableName): table is Journaled => Object.hasOwn(JOURNALED, table);

/** Returns the ids of the records that a write of DynamoDB's JSON protocol has put or deleted, by the table's full name. */
export function writtenIds(body: Buffer): Map<string, string[]> {
  const { TableName, Item, Key, RequestItems = {} } = JSON.parse(body.toString()) as Write;
  const idsIn = (item: Item | undefined) => Object.values(JOURNALED).flatMap((key) => item?.[key]?.S ?? []);
  const batches = Object.entries(RequestItems).map(([table, requests]): [string, string[]] => [
    table,
    requests.flatMap(({ PutRequest, DeleteRequest }) => idsIn(PutRequest?.Item ?? DeleteRequest?.Key)),
  ]);
  return new Map(TableName === undefined ? batches : [[TableName, idsIn(Item ?? Key)]]);
}

/** The parts of PutItem, UpdateItem, DeleteItem and BatchWriteItem that name records. */
interface Write {
  TableName?: string;
  Item?: Item;
  Key?: Item;
  RequestItems?: Record<string, Array<{ PutRequest?: { Item: Item }; DeleteRequest?: { Key: Item } }>>;
}

type Item = Record<string, AttributeValue>;

/** One line of a journal: what the table had of an id after a write. */
export interface Entry {
  id: string;
  /** Undefined if the record was deleted. */
  item: Item | undefined;
}

/** Records written since a table was last saved as a whole. */
export interface TableJournal {
  /** Appends these records as the table has them now. */
  add(table: Journaled, ids: readonly string[]): Promise<void>;
  /** Returns the entries of a table, oldest first. */
  read(table: Journaled): Entry[];
  /** Call before the table is read. Returns a function that removes the entries that were there at that time. */
  begin(table: Journaled): () => void;
}

/** Keys of one BatchGetItem. Source: API reference. */
const BATCH = 100;

/** Creates the journal of each table in its own file. */
export function createTableJournal(
  fileOf: (table: Journaled) => string,
  { dynamo, names }: Pick<RecommendationParts["clients"], "dynamo"> & Pick<RecommendationParts, "names">,
): TableJournal {
  // One write at a time, so that the entries of one id are appended in the order in which they were stored.
  let last: Promise<void> = Promise.resolve();
  const append = async (table: Journaled, ids: readonly string[]) => {
    const key = JOURNALED[table];
    for (let at = 0; at < ids.length; at += BATCH) {
      const part = ids.slice(at, at + BATCH);
      const Keys = part.map((id) => ({ [key]: { S: id } }));
      const request = { [names.table(table)]: { Keys, ConsistentRead: true } };
      const { Responses = {} } = await dynamo.send(new BatchGetItemCommand({ RequestItems: request }));
      const found = new Map((Responses[names.table(table)] ?? []).map((item) => [item[key]?.S, item]));
      const lines = part.map((id) => `${JSON.stringify({ id, item: found.get(id) } satisfies Entry)}\n`);
      mkdirSync(dirname(fileOf(table)), { recursive: true });
      appendFileSync(fileOf(table), lines.join(""));
    }
  };
  const textOf = (table: Journaled) => readIfThere(fileOf(table)) ?? "";
  return {
    add(table, ids) {
      const adding = last.then(() => append(table, [...new Set(ids)]));
      last = adding.catch(() => undefined);
      return adding;
    },
    read(table) {
      const text = textOf(table);
      const lines = linesOf(text);
      // So that the next entry does not continue a part of a line.
      if (text !== "" && !text.endsWith("\n")) writeFileSync(fileOf(table), lines.map((line) => `${line}\n`).join(""));
      return lines.map((line) => JSON.parse(line) as Entry);
    },
    begin(table) {
      const known = textOf(table).length;
      return () => {
        if (known > 0) writeFileSync(fileOf(table), textOf(table).slice(known));
      };
    },
  };
}

/** Returns the complete lines of a file. A killed process may have left a part of one at the end. */
export function linesOf(text: string): string[] {
  return text.split("\n").slice(0, -1);
}

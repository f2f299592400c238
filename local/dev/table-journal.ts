import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type AttributeValue, BatchGetItemCommand } from "@aws-sdk/client-dynamodb";
import type { TableName } from "../../lib/core/naming/names.ts";
import type { RecommendationParts } from "./recommendation-functions.ts";

/** An upload that was accepted, at least in part. */
export interface Upload {
  /** Path of the endpoint. */
  path: string;
  body: Buffer;
}

/** Tables whose uploads are kept, with the field of the request that contains the records, and the key of both. */
export const JOURNALED = [
  { path: "/update-users", table: "users", field: "users", key: "USER_ID" },
  { path: "/update-items", table: "items", field: "items", key: "ITEM_ID" },
] as const;

type Item = Record<string, AttributeValue>;

/** Records uploaded since a table was last saved as a whole. */
export interface TableJournal {
  /** Appends the records of an upload as the table has them. Does nothing for other uploads. */
  add(upload: Upload): Promise<void>;
  /** Returns the records of a table, oldest first. */
  read(table: TableName): Item[];
  /** Call before the table is read. Returns a function that removes the records that were there at that time. */
  begin(table: TableName): () => void;
}

/** Keys of one BatchGetItem. Source: API reference. */
const BATCH = 100;

/** Creates the journal of each table in its own file. */
export function createTableJournal(
  fileOf: (table: TableName) => string,
  { dynamo, names }: Pick<RecommendationParts["clients"], "dynamo"> & Pick<RecommendationParts, "names">,
): TableJournal {
  // One upload at a time, so that the records of one id are appended in the order in which they were stored.
  let last: Promise<void> = Promise.resolve();
  const append = async (table: TableName, key: string, ids: readonly string[]) => {
    for (let at = 0; at < ids.length; at += BATCH) {
      const Keys = ids.slice(at, at + BATCH).map((id) => ({ [key]: { S: id } }));
      const request = { [names.table(table)]: { Keys, ConsistentRead: true } };
      const { Responses = {} } = await dynamo.send(new BatchGetItemCommand({ RequestItems: request }));
      const lines = Object.values(Responses)
        .flat()
        .map((item) => `${JSON.stringify(item)}\n`);
      mkdirSync(dirname(fileOf(table)), { recursive: true });
      appendFileSync(fileOf(table), lines.join(""));
    }
  };
  return {
    add({ path, body }) {
      const journaled = JOURNALED.find((one) => one.path === path);
      if (!journaled) return Promise.resolve();
      const { table, field, key } = journaled;
      const records = (JSON.parse(body.toString()) as Record<string, Array<Record<string, unknown> | null>>)[field];
      const ids = new Set(records?.map((record) => String(record?.[key] ?? "")));
      ids.delete("");
      const adding = last.then(() => append(table, key, [...ids]));
      last = adding.catch(() => undefined);
      return adding;
    },
    read(table) {
      const text = readIfThere(fileOf(table));
      const lines = linesOf(text);
      // So that the next record does not continue a part of a line.
      if (text !== "" && !text.endsWith("\n")) writeFileSync(fileOf(table), lines.map((line) => `${line}\n`).join(""));
      return lines.map((line) => JSON.parse(line) as Item);
    },
    begin(table) {
      const known = readIfThere(fileOf(table)).length;
      return () => {
        if (known > 0) writeFileSync(fileOf(table), readIfThere(fileOf(table)).slice(known));
      };
    },
  };
}

/** Returns the complete lines of a file. A killed process may have left a part of one at the end. */
export function linesOf(text: string): string[] {
  return text.split("\n").slice(0, -1);
}

function readIfThere(file: string): string {
  return existsSync(file) ? readFileSync(file, "utf8") : "";
}

import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, sep } from "node:path";
import { type AttributeValue, BatchWriteItemCommand, paginateScan, type WriteRequest } from "@aws-sdk/client-dynamodb";
import { GetObjectCommand, PutObjectCommand, paginateListObjectsV2 } from "@aws-sdk/client-s3";
import type { TableName } from "@relevance/lib/platform/naming/names.ts";
import { PREFIXES } from "@relevance/lib/platform/naming/object-keys.ts";
import { concurrently } from "@relevance/lib/platform/resilience/concurrently.ts";
import { TABLES } from "@relevance/lib/recommendation/records/tables.ts";
import type { AfterCall, DoneCall } from "@relevance/local-aws/cloud/router.ts";
import { readIfThere, replaceFile } from "@relevance/processes/files.ts";
import type { RecommendationParts } from "./recommendation-functions.ts";
import { createTableJournal, type Entry, isJournaled, JOURNALED, linesOf, writtenIds } from "./table-journal.ts";

/** Keeps the recommendation service's data on disk, because moto loses everything when it exits. */
export interface RecommendationData {
  /** Fills tables and bucket with the saved data. */
  restore(): Promise<void>;
  /**
   * Saves tables and new event files. Files are replaced atomically. The counters are read before the events, so they
   * may be lower than the saved events but never higher. One save at a time.
   */
  save(): Promise<void>;
  /** The same without the tables that `keep` has seen no write to since they were saved: a scan of the items is not cheap. */
  saveWritten(): Promise<void>;
  /**
   * Saves what a call to the AWS endpoint has stored or deleted, so that what is acknowledged survives even if this
   * process is killed. Leaves out the counters of accepted events.
   */
  keep: AfterCall;
}

type Item = Record<string, AttributeValue>;

const PARALLEL = 8;
/** Items of one BatchWriteItem. Source: API reference. */
const BATCH = 25;

/**
 * Tables that are saved whole at each write, because they have few records. That of the built-in engine is saved by `save` alone:
 * each training writes it again.
 */
const WHOLE: readonly TableName[] = ["training", "popular-items"];

const WRITES = new Set(["PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"]);

/** Returns whether a call has changed a table. */
export const isTableWrite = ({ service, operation = "" }: DoneCall) => service === "dynamodb" && WRITES.has(operation);

/** The counters in `ingestion` are read before the events that they count. */
const ORDER: readonly TableName[] = ["ingestion", ...TABLES.filter((table) => table !== "ingestion")];

/** Saves the tables and the received events in a folder. The files of ETL are generated from them again. */
export function recommendationData(
  folder: string,
  { clients, names }: Pick<RecommendationParts, "clients" | "names">,
): RecommendationData {
  const { dynamo, s3 } = clients;
  const Bucket = names.bucket();
  const tableFile = (table: TableName) => join(folder, "tables", `${table}.jsonl`);
  const objects = join(folder, "objects");
  const journal = createTableJournal((table) => join(folder, "tables", `${table}.added.jsonl`), { dynamo, names });
  const written = new Set<TableName>(TABLES);
  let last: Promise<void> = Promise.resolve();

  const restoreTable = async (table: TableName) => {
    const saved = linesOf(readIfThere(tableFile(table)) ?? "").map((line) => JSON.parse(line) as Item);
    const items = isJournaled(table) ? latest(saved, JOURNALED[table], journal.read(table)) : saved;
    const requests = items.map((Item): WriteRequest => ({ PutRequest: { Item } }));
    const batches = Array.from({ length: Math.ceil(requests.length / BATCH) }, (_, index) =>
      requests.slice(index * BATCH, (index + 1) * BATCH),
    );
    await concurrently(batches, PARALLEL, (batch) =>
      dynamo.send(new BatchWriteItemCommand({ RequestItems: { [names.table(table)]: batch } })),
    );
  };
  const restoreObject = async (path: string) => {
    const Key = path.split(sep).join("/");
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: readFileSync(join(objects, path)) }));
  };

  const saveTable = async (table: TableName) => {
    const lines: string[] = [];
    const forget = isJournaled(table) ? journal.begin(table) : () => undefined;
    written.delete(table);
    try {
      for await (const { Items = [] } of paginateScan({ client: dynamo }, { TableName: names.table(table) })) {
        for (const item of Items) lines.push(`${JSON.stringify(item)}\n`);
      }
      replaceFile(tableFile(table), lines.join(""));
    } catch (error) {
      written.add(table);
      throw error;
    }
    forget();
  };
  const saveObject = async (Key: string) => {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
    if (Body) replaceFile(join(objects, Key), await Body.transformToByteArray());
  };
  const saveObjects = coalesced(async () => {
    const keys: string[] = [];
    for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket, Prefix: PREFIXES.events })) {
      // Firehose never changes an object, so a file of the same size is up to date.
      for (const { Key, Size } of Contents) {
        if (Key && statSync(join(objects, Key), { throwIfNoEntry: false })?.size !== Size) keys.push(Key);
      }
    }
    await concurrently(keys, PARALLEL, saveObject);
  });
  const saveSmall = Object.fromEntries(WHOLE.map((table) => [table, coalesced(() => saveTable(table))]));
  const keepWritten = async (body: Buffer) => {
    const changed = [...writtenIds(body)].flatMap(([name, ids]) => {
      const table = TABLES.find((one) => names.table(one) === name);
      return table ? [{ table, ids }] : [];
    });
    // All of them at once: keeping one may fail.
    for (const { table } of changed) written.add(table);
    for (const { table, ids } of changed) {
      if (isJournaled(table)) await journal.add(table, ids);
      else await saveSmall[table]?.();
    }
  };
  const saveTables = (tables: () => readonly TableName[]) => {
    last = last
      .catch(() => undefined)
      .then(async () => {
        for (const table of tables()) await saveTable(table);
        await saveObjects();
      });
    return last;
  };

  return {
    async restore() {
      await Promise.all(TABLES.map(restoreTable));
      await concurrently(filesBelow(objects), PARALLEL, restoreObject);
    },
    save: () => saveTables(() => ORDER),
    saveWritten: () => saveTables(() => ORDER.filter((table) => written.has(table))),
    async keep(call) {
      const { service, operation = "", method, path, body } = call;
      if (isTableWrite(call)) await keepWritten(body);
      if (service === "firehose" && operation.startsWith("PutRecord")) await saveObjects();
      const events = `/${Bucket}/${PREFIXES.events}`;
      if (service === "s3" && method === "PUT" && path.startsWith(events)) {
        const [key = ""] = path.slice(`/${Bucket}/`.length).split("?");
        await saveObject(decodeURIComponent(key));
      }
    },
  };
}

/** Returns the items of a saved table with the entries of its journal, one for each id. */
function latest(saved: readonly Item[], key: string, entries: readonly Entry[]): Item[] {
  const byId = new Map(saved.map((item) => [item[key]?.S, item]));
  for (const { id, item } of entries) {
    if (item) byId.set(id, item);
    else byId.delete(id);
  }
  return [...byId.values()];
}

/** Wraps `run` so that each call is served by a run that starts after it, and at most one run is in progress. */
function coalesced(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  return () => {
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        running = run();
        return running;
      });
    return next;
  };
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".new"))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

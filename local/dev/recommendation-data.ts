import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { type AttributeValue, BatchWriteItemCommand, paginateScan, type WriteRequest } from "@aws-sdk/client-dynamodb";
import { GetObjectCommand, PutObjectCommand, paginateListObjectsV2 } from "@aws-sdk/client-s3";
import type { TableName } from "../../lib/core/naming/names.ts";
import { PREFIXES } from "../../lib/core/naming/object-keys.ts";
import { concurrently } from "../../lib/core/resilience/concurrently.ts";
import { TABLES } from "../../lib/infrastructure/tables.ts";
import type { RecommendationParts } from "./recommendation-functions.ts";
import { createTableJournal, JOURNALED, linesOf, type Upload } from "./table-journal.ts";

/** Keeps the recommendation service's data on disk, because moto loses everything when it exits. */
export interface RecommendationData {
  /** Fills tables and bucket with the saved data. */
  restore(): Promise<void>;
  /**
   * Saves tables and new event files. Files are replaced atomically. The counters are read before the events, so they
   * may be lower than the saved events but never higher. Concurrent calls share one save.
   */
  save(): Promise<void>;
  /** Saves what an accepted upload has stored, so that it survives even if this process is killed. */
  keep(upload: Upload): Promise<void>;
}

type Item = Record<string, AttributeValue>;

const PARALLEL = 8;
/** Items of one BatchWriteItem. Source: API reference. */
const BATCH = 25;

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
  let saving: Promise<void> | undefined;

  const restoreTable = async (table: TableName) => {
    const file = tableFile(table);
    const saved = existsSync(file) ? linesOf(readFileSync(file, "utf8")) : [];
    const items = [...saved.map((line) => JSON.parse(line) as Item), ...journal.read(table)];
    const requests = latest(table, items).map((Item): WriteRequest => ({ PutRequest: { Item } }));
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
    const forget = journal.begin(table);
    for await (const { Items = [] } of paginateScan({ client: dynamo }, { TableName: names.table(table) })) {
      for (const item of Items) lines.push(`${JSON.stringify(item)}\n`);
    }
    replaceFile(tableFile(table), lines.join(""));
    forget();
  };
  const saveObjects = coalesced(async () => {
    const keys: string[] = [];
    for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket, Prefix: PREFIXES.events })) {
      // Firehose never changes an object, so a file of the same size is up to date.
      for (const { Key, Size } of Contents) {
        if (Key && statSync(join(objects, Key), { throwIfNoEntry: false })?.size !== Size) keys.push(Key);
      }
    }
    await concurrently(keys, PARALLEL, async (Key) => {
      const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
      if (Body) replaceFile(join(objects, Key), await Body.transformToByteArray());
    });
  });
  const saveAll = async () => {
    for (const table of ORDER) await saveTable(table);
    await saveObjects();
  };

  return {
    async restore() {
      await Promise.all(TABLES.map(restoreTable));
      await concurrently(filesBelow(objects), PARALLEL, restoreObject);
    },
    save() {
      saving ??= saveAll().finally(() => {
        saving = undefined;
      });
      return saving;
    },
    keep: (upload) => (upload.path === "/log-event" ? saveObjects() : journal.add(upload)),
  };
}

/** Returns the last item of each key, because a batch must not contain a key twice. */
function latest(table: TableName, items: readonly Item[]): readonly Item[] {
  const key = JOURNALED.find((journaled) => journaled.table === table)?.key;
  return key === undefined ? items : [...new Map(items.map((item) => [item[key]?.S, item])).values()];
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

function replaceFile(file: string, content: string | Uint8Array): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.new`, content);
  renameSync(`${file}.new`, file);
}

import { appendFileSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type AttributeValue,
  BatchWriteItemCommand,
  DeleteItemCommand,
  PutItemCommand,
  type PutItemCommandInput,
  paginateScan,
  UpdateItemCommand,
  type WriteRequest,
} from "@aws-sdk/client-dynamodb";
import { isNamed } from "@relevance/lib/platform/aws/errors.ts";
import type { TableName } from "@relevance/lib/platform/naming/names.ts";
import { PREFIXES } from "@relevance/lib/platform/naming/object-keys.ts";
import { concurrently } from "@relevance/lib/platform/resilience/concurrently.ts";
import { TABLES } from "@relevance/lib/recommendation/records/tables.ts";
import type { AfterCall } from "@relevance/local-aws/cloud/router.ts";
import { readIfThere, replaceFile } from "@relevance/processes/files.ts";
import { keptObjects } from "./kept-objects.ts";
import type { RecommendationParts } from "./recommendation-functions.ts";

/** Keeps the recommendation service's data on disk, because moto loses everything when it exits. */
export interface RecommendationData {
  /** Fills tables and bucket with the saved data. */
  restore(): Promise<void>;
  /** Saves all tables and new event files. Files are replaced atomically. */
  save(): Promise<void>;
  /**
   * Saves the data that a call to the AWS endpoint has stored or deleted. So acknowledged data survives even if this
   * process is killed.
   */
  keep: AfterCall;
}

type Item = Record<string, AttributeValue>;

const PARALLEL = 8;
/** Items of one BatchWriteItem. Source: API reference. */
const BATCH = 25;

/** The calls that change a table. Their bodies can be replayed as inputs of the SDK's commands. */
const WRITES: Readonly<Record<string, unknown>> = {
  PutItem: PutItemCommand,
  UpdateItem: UpdateItemCommand,
  DeleteItem: DeleteItemCommand,
  BatchWriteItem: BatchWriteItemCommand,
};

/** A line of the journal of writes. */
interface Write {
  operation: string;
  input: PutItemCommandInput;
}

/** Saves the tables and the received events in a folder. ETL can generate its files from them again. */
export function recommendationData(
  folder: string,
  { clients, names }: Pick<RecommendationParts, "clients" | "names">,
): RecommendationData {
  const { dynamo, s3 } = clients;
  const tableFile = (table: TableName) => join(folder, "tables", `${table}.jsonl`);
  /** The writes since the tables were last saved, in the order of their responses. */
  const journal = join(folder, "tables", "writes.jsonl");
  const events = keptObjects(join(folder, "objects"), s3, names.bucket(), PREFIXES.events);

  const restoreTable = async (table: TableName) => {
    const requests = linesOf(tableFile(table)).map(
      (line): WriteRequest => ({ PutRequest: { Item: JSON.parse(line) } }),
    );
    const batches = Array.from({ length: Math.ceil(requests.length / BATCH) }, (_, index) =>
      requests.slice(index * BATCH, (index + 1) * BATCH),
    );
    await concurrently(batches, PARALLEL, (batch) =>
      dynamo.send(new BatchWriteItemCommand({ RequestItems: { [names.table(table)]: batch } })),
    );
  };
  const repeatWrites = async () => {
    const lines = linesOf(journal);
    for (const line of lines) {
      const { operation, input } = JSON.parse(line) as Write;
      const Command = WRITES[operation] as typeof PutItemCommand;
      await dynamo.send(new Command(input)).catch((error: unknown) => {
        // Two concurrent writes may have been answered in the other order.
        if (!isNamed(error, "ConditionalCheckFailedException")) throw error;
      });
    }
    // Rewrites the file, so that the next line does not continue an incomplete one.
    replaceFile(journal, lines.map((line) => `${line}\n`).join(""));
  };

  const saveTable = async (table: TableName) => {
    const items: Item[] = [];
    for await (const { Items = [] } of paginateScan({ client: dynamo }, { TableName: names.table(table) })) {
      items.push(...Items);
    }
    replaceFile(tableFile(table), items.map((item) => `${JSON.stringify(item)}\n`).join(""));
  };

  return {
    async restore() {
      await Promise.all(TABLES.map(restoreTable));
      await repeatWrites();
      await events.restore();
    },
    async save() {
      const known = linesOf(journal).length;
      for (const table of TABLES) await saveTable(table);
      const later = linesOf(journal).slice(known);
      replaceFile(journal, later.map((line) => `${line}\n`).join(""));
      await events.save();
    },
    async keep(call) {
      const { service, operation = "", body } = call;
      if (service === "dynamodb" && operation in WRITES) {
        mkdirSync(dirname(journal), { recursive: true });
        appendFileSync(journal, `${JSON.stringify({ operation, input: JSON.parse(body.toString()) })}\n`);
      }
      await events.keep(call);
    },
  };
}

/**
 * Returns the complete lines of a file; none if there is no file. A killed process may have left an incomplete line at
 * the end.
 */
const linesOf = (file: string): string[] => (readIfThere(file) ?? "").split("\n").slice(0, -1);

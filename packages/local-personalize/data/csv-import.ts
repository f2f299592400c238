import { pipeline } from "node:stream/promises";
import { eventTypeRoom, fieldsBesideTypes } from "@relevance/lib/personalize/limits.ts";
import { parse } from "csv-parse";
import type { DatasetType } from "../resources.ts";
import type { DatasetSchema } from "./avro-schema.ts";
import { type Cell, type ImportedRows, parseCell, type SchemaColumn } from "./rows.ts";

/** Reads the input of jobs. In the local stack these are objects of the local S3. */
export interface ObjectReader {
  /** Returns the keys that begin with a prefix, in order. Throws if the bucket cannot be read. */
  list(bucket: string, prefix: string): Promise<readonly string[]>;
  read(bucket: string, key: string): Promise<AsyncIterable<Uint8Array>>;
  /** Writes the output of a batch inference job. */
  write(bucket: string, key: string, body: string): Promise<void>;
  /** Returns a reader with the permissions of a job's role. Absent if permissions are ignored. */
  as?: (job: { roleArn: string; arn: string }) => ObjectReader;
}

/** The reason why an import job fails. The message becomes its `failureReason`. */
export class ImportFailure extends Error {
  override name = "ImportFailure";
}

const LEAST_INTERACTIONS = 1000;
/** The largest timestamp in seconds (5138-11-16). A larger value is probably in milliseconds (1973 and later). */
const LARGEST_TIMESTAMP = 100_000_000_000;
const NOT_CONFORMING =
  "Input csv has rows that do not conform to the dataset schema. Please ensure all required data fields are present and that they are of the type specified in the schema.";

/** Reads one CSV file, or all CSV files directly in a folder. Throws `ImportFailure` at the first bad row. */
export async function readImport(
  location: string,
  schema: DatasetSchema,
  datasetType: DatasetType,
  objects: ObjectReader,
): Promise<ImportedRows> {
  const [, bucket, path = ""] = /^s3:\/\/([^/]+)\/?(.*)$/.exec(location) ?? [];
  if (!bucket) throw new ImportFailure(`Invalid Data location: ${location} is not s3://bucket/path`);
  const columns = schema.fields.map(({ name }) => name);
  const rows: Cell[][] = [];
  for (const key of await filesAt(bucket, path, objects)) {
    await readFile(await open(bucket, key, objects), `s3://${bucket}/${key}`, schema, rows);
  }
  if (datasetType === "INTERACTIONS" && rows.length < LEAST_INTERACTIONS) {
    throw new ImportFailure(
      `The interactions import has ${rows.length} rows; at least ${LEAST_INTERACTIONS} are required.`,
    );
  }
  if (datasetType === "INTERACTIONS") {
    const place = columns.indexOf("EVENT_TYPE");
    const problem = typesProblem(columns, new Set(rows.map((row) => row[place] ?? null)));
    if (problem !== undefined) throw new ImportFailure(problem);
  }
  return { columns, rows };
}

/**
 * Returns the problem of interactions with more event types than the service accepts in addition to the columns.
 * Undefined if there is none.
 */
export function typesProblem(columns: readonly string[], types: ReadonlySet<Cell>): string | undefined {
  const room = eventTypeRoom(columns);
  const { size } = new Set([...types].filter((type) => type !== null));
  if (size <= room) return undefined;
  return `The Interactions dataset has ${size} distinct event types; with its columns ${fieldsBesideTypes(columns).join(", ")}, at most ${room} are allowed.`;
}

/** Returns the USER_ID column of one CSV file, or of all in a folder. Throws `ImportFailure`. */
export async function readUserIds(location: string, objects: ObjectReader): Promise<Set<string>> {
  const schema: DatasetSchema = { name: "Users", fields: [{ name: "USER_ID", type: "string", types: ["string"] }] };
  const { rows } = await readImport(location, schema, "USERS", objects);
  return new Set(rows.map(([id]) => String(id)));
}

async function filesAt(bucket: string, path: string, objects: ObjectReader): Promise<readonly string[]> {
  let keys: readonly string[];
  try {
    keys = await objects.list(bucket, path);
  } catch (error) {
    throw unreadable(`s3://${bucket}/${path}`, error);
  }
  if (keys.includes(path)) return [path];
  const folder = path === "" || path.endsWith("/") ? path : `${path}/`;
  const files = keys.filter((key) => {
    const rest = key.slice(folder.length);
    return key.startsWith(folder) && !rest.includes("/") && /\.csv$/i.test(rest);
  });
  if (files.length === 0) throw new ImportFailure(`Invalid Data location: no CSV file at s3://${bucket}/${path}`);
  return files;
}

async function open(bucket: string, key: string, objects: ObjectReader): Promise<AsyncIterable<Uint8Array>> {
  try {
    return await objects.read(bucket, key);
  } catch (error) {
    throw unreadable(`s3://${bucket}/${key}`, error);
  }
}

function unreadable(location: string, cause: unknown): ImportFailure {
  const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  return new ImportFailure(`Insufficient privileges for accessing data in Amazon S3: ${location}: ${reason}`, {
    cause,
  });
}

async function readFile(
  source: AsyncIterable<Uint8Array>,
  file: string,
  schema: DatasetSchema,
  rows: Cell[][],
): Promise<void> {
  const parser = parse({ bom: true, skip_empty_lines: true, escape: "\\", cast: refuseOtherDialects });
  // The loop below reports this pipeline's errors. A bad row ends both.
  pipeline(source, parser).catch(() => undefined);
  let places: { column: SchemaColumn; index: number }[] | undefined;
  let row = 0;
  try {
    for await (const record of parser as AsyncIterable<string[]>) {
      if (places) rows.push(readRow(record, places, `${file}, row ${row}`));
      else places = readHeader(record, schema);
      row += 1;
    }
  } catch (error) {
    if (error instanceof ImportFailure) throw error;
    throw new ImportFailure(`${NOT_CONFORMING} ${file}: ${error instanceof Error ? error.message : error}`, {
      cause: error,
    });
  }
  if (!places) throw new ImportFailure(`Input CSV is empty: ${file}`);
}

/**
 * Returns the cell. Throws for syntax that the service does not support: a record of several lines, and a backslash
 * without quotes around its cell. The parser itself rejects doubled quotes. Source: Amazon Personalize Developer Guide,
 * "Data format guidelines".
 */
function refuseOtherDialects(cell: string, { quoting }: { quoting: boolean }): string {
  if (/[\r\n]/.test(cell)) throw new Error("a record must be on one line");
  if (!quoting && cell.includes("\\")) throw new Error("a cell with a backslash must be in quotes");
  return cell;
}

function readHeader(header: readonly string[], { fields }: DatasetSchema) {
  const missing = fields.filter(({ name }) => !header.includes(name)).map(({ name }) => name);
  if (missing.length > 0) {
    throw new ImportFailure(`Input CSV is missing the following columns: [${missing.join(", ")}].`);
  }
  return fields.map((column) => ({ column, index: header.indexOf(column.name) }));
}

function readRow(record: readonly string[], places: { column: SchemaColumn; index: number }[], where: string): Cell[] {
  return places.map(({ column, index }) => {
    const cell = parseCell(record[index] ?? "", column);
    if ("problem" in cell) throw new ImportFailure(`${NOT_CONFORMING} ${where}, ${column.name}: ${cell.problem}`);
    if (column.name === "TIMESTAMP" && Number(cell.value) > LARGEST_TIMESTAMP) {
      throw new ImportFailure(`${NOT_CONFORMING} ${where}, TIMESTAMP: ${cell.value} is not in epoch seconds`);
    }
    return cell.value;
  });
}

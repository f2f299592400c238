import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBInstance } from "@duckdb/node-api";
import type { ObjectStore } from "../../aws/object-store.ts";
import { literal, literals, sql } from "./sql.ts";

/** What the engine may use of the machine. */
export interface EngineLimits {
  /** Memory of the engine. It writes what exceeds this to the folder. The process itself takes about 200 MB more. */
  memoryMb: number;
  threads: number;
  /** The folder for temporary files: the largest group of objects, unpacked, or twice the largest shard. */
  folder: string;
}

/** A database in memory. Its statements read and write files in its folder only. */
export interface Engine {
  folder: string;
  /** Runs statements and returns the number of rows that the last one wrote. */
  run(statements: string): Promise<number>;
  /** Yields the rows of a query in pieces. */
  rows(query: string): AsyncIterable<Readonly<Record<string, unknown>>[]>;
  /** Adds rows to a table. Null is a cell without a value. */
  insert(table: string, rows: readonly (readonly (string | number | null)[])[]): Promise<void>;
}

/** Runs `work` with a database and a folder of their own, and removes both. */
export async function withEngine<T>(limits: EngineLimits, work: (engine: Engine) => Promise<T>): Promise<T> {
  // Loads the native library on first use: planning does not need it.
  const { DuckDBInstance } = await import("./duckdb.ts");
  const folder = await mkdtemp(join(limits.folder, "etl-"));
  try {
    const instance = await DuckDBInstance.create(":memory:", {
      memory_limit: `${limits.memoryMb}MB`,
      threads: String(limits.threads),
      temp_directory: join(folder, "spilled"),
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
    });
    try {
      return await work(await open(instance, folder));
    } finally {
      instance.closeSync();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function open(instance: DuckDBInstance, folder: string): Promise<Engine> {
  const connection = await instance.connect();
  // A connection holds one unfinished result. So rows are read, and can be inserted elsewhere meanwhile, on another one.
  const reader = await instance.connect();
  await connection.run(`SET allowed_directories = ${literals([folder])}; SET enable_external_access = false`);
  await connection.run(`SET partitioned_write_max_open_files = 1000; SET lock_configuration = true`);
  await connection.run(sql("macros"));
  return {
    folder,
    async run(statements) {
      return (await connection.run(statements)).rowsChanged;
    },
    async *rows(query) {
      yield* (await reader.stream(query)).yieldRowObjectJs();
    },
    async insert(table, rows) {
      const appender = await connection.createAppender(table);
      for (const row of rows) {
        for (const cell of row) {
          if (cell === null) appender.appendNull();
          else appender.appendVarchar(String(cell));
        }
        appender.endRow();
      }
      appender.closeSync();
    },
  };
}

/** Returns all rows of a small result. */
export async function allRows(engine: Engine, query: string): Promise<Readonly<Record<string, unknown>>[]> {
  const found = [];
  for await (const rows of engine.rows(query)) found.push(...rows);
  return found;
}

/**
 * Writes what a COPY statement writes into the file that it is given, and returns the number of rows. Without rows there is
 * no object, not even one of an earlier attempt.
 */
export async function writeRows(engine: Engine, store: ObjectStore, key: string, copy: (file: string) => string) {
  const file = join(engine.folder, "rows");
  const rows = await engine.run(copy(literal(file)));
  await (rows > 0 ? store.write(key, { file }) : store.remove([key]));
  return rows;
}

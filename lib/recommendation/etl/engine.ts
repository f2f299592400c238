import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { literals, sql } from "./sql.ts";

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
    const connection = await instance.connect();
    try {
      await connection.run(`SET allowed_directories = ${literals([folder])}; SET enable_external_access = false`);
      await connection.run(`SET partitioned_write_max_open_files = 1000; SET lock_configuration = true`);
      await connection.run(sql("macros"));
      return await work(engineOf(connection, folder));
    } finally {
      connection.closeSync();
      instance.closeSync();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const engineOf = (connection: DuckDBConnection, folder: string): Engine => ({
  folder,
  async run(statements) {
    return (await connection.run(statements)).rowsChanged;
  },
  async *rows(query) {
    yield* (await connection.stream(query)).yieldRowObjectJs();
  },
});

/** Returns all rows of a small result. */
export async function allRows(engine: Engine, query: string): Promise<Readonly<Record<string, unknown>>[]> {
  const found = [];
  for await (const rows of engine.rows(query)) found.push(...rows);
  return found;
}

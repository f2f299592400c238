import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import type { DuckDBInstance, DuckDBScalarMainFunction, DuckDBValue } from "@duckdb/node-api";

/** Limits of the memory, threads and disk that a database uses. */
export interface DatabaseLimits {
  /** Memory of DuckDB. It writes what exceeds this to the folder. The process itself takes about 200 MB more. */
  memoryMb?: number;
  threads?: number;
  /** The folder for temporary files. */
  folder: string;
  /** Files elsewhere that statements may read. */
  files?: readonly string[];
}

/** Adds a row to a table, one value for each column. Null is a cell without a value. */
export type AddRow = (...cells: readonly (string | number | null)[]) => void;

/** One row of a result. */
export type Row = Readonly<Record<string, unknown>>;

/** Rows that an appender keeps outside the memory limit. */
const WAITING_ROWS = 8_192;

type Values = Readonly<Record<string, DuckDBValue>>;

/** A database in memory, with a folder of its own. */
export interface Database {
  folder: string;
  /** Runs statements and returns the number of rows that the last one wrote. */
  run(statements: string, values?: Values): Promise<number>;
  /** Returns all rows of a small result. */
  rows(query: string, values?: Values): Promise<Row[]>;
  /** Returns the columns of a large result, part by part. */
  columns(query: string): AsyncIterable<readonly (readonly DuckDBValue[])[]>;
  /** Lets statements call a function of a text by a name. */
  define(name: string, work: (text: string) => string): void;
  /** Lets `work` add rows to a table, which converts their values to the types of its columns. */
  fill<T>(table: string, work: (add: AddRow) => Promise<T>): Promise<T>;
}

/**
 * Runs `work` with a database and a folder of their own, and removes both. Statements can neither load extensions nor
 * read and write files other than those of the folder and of the limits.
 */
export async function withDatabase<T>(limits: DatabaseLimits, work: (database: Database) => Promise<T>): Promise<T> {
  // Loads the native library on first use.
  const { DuckDBInstance } = await import("./duckdb.ts");
  const folder = await mkdtemp(join(limits.folder, "duckdb-"));
  try {
    const instance = await DuckDBInstance.create(":memory:", {
      ...(limits.memoryMb !== undefined && { memory_limit: `${limits.memoryMb}MB` }),
      ...(limits.threads !== undefined && { threads: String(limits.threads) }),
      temp_directory: join(folder, "spilled"),
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
    });
    try {
      return await work(await open(instance, folder, limits.files ?? []));
    } finally {
      instance.closeSync();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function open(instance: DuckDBInstance, folder: string, files: readonly string[]): Promise<Database> {
  const connection = await instance.connect();
  await connection.run(`SET allowed_directories = ${literals([folder])}; SET allowed_paths = ${literals(files)}`);
  await connection.run("SET enable_external_access = false");
  const { DuckDBScalarFunction, VARCHAR } = await import("./duckdb.ts");
  return {
    folder,
    define(name, work) {
      const mainFunction: DuckDBScalarMainFunction = (_, input, output) => {
        for (const [row, text] of input.getColumnValues(0).entries()) {
          output.setItem(row, text === null ? null : work(String(text)));
        }
        output.flush();
      };
      const types = { parameterTypes: [VARCHAR], returnType: VARCHAR };
      connection.registerScalarFunction(DuckDBScalarFunction.create({ name, ...types, mainFunction }));
    },
    async run(statements, values) {
      return (await connection.run(statements, values)).rowsChanged;
    },
    async rows(query, values) {
      return (await connection.runAndReadAll(query, values)).getRowObjectsJS();
    },
    async *columns(query) {
      for await (const chunk of await connection.stream(query)) yield chunk.getColumns();
    },
    async fill(table, work) {
      const appender = await connection.createAppender(table);
      let waiting = 0;
      try {
        return await work((...cells) => {
          for (const cell of cells) {
            if (cell === null) appender.appendNull();
            else appender.appendVarchar(String(cell));
          }
          appender.endRow();
          waiting = (waiting + 1) % WAITING_ROWS;
          if (waiting === 0) appender.flushSync();
        });
      } finally {
        appender.closeSync();
      }
    },
  };
}

/** Returns a text as a literal. */
export const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Returns a list of texts. */
export const literals = (texts: readonly string[]) => `[${texts.map(literal).join(", ")}]`;

/** Returns a name as an identifier. */
export const identifier = (name: string) => `"${name.replaceAll('"', '""')}"`;

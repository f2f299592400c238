/** DuckDB as a chunk of its own, so that the native library is loaded on first use. */
export { DuckDBInstance } from "@duckdb/node-api";

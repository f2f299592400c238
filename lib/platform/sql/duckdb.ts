// Named exports in a chunk of their own: esbuild gives a CommonJS package that is imported dynamically a default export only.
export { DuckDBInstance, DuckDBScalarFunction, VARCHAR } from "@duckdb/node-api";

import { table } from "@relevance/lib/platform/table.ts";
import type { SearchedQuery } from "./failures.ts";

const HEADER = [
  ...["query", "searches", "people", "zero hits", "abandoned"],
  ...["clicks (expected)", "degraded", "slow", "p95 ms"],
];

/** Returns what people searched for as a table. */
export const queriesTable = (queries: readonly SearchedQuery[]): string => table(HEADER, queries.map(cellsOf));

const cellsOf = (one: SearchedQuery): string[] => [
  one.query,
  ...[one.searches, one.people, one.zeroHits, one.abandoned].map(String),
  `${one.clicks} (${one.expectedClicks.toFixed(1)})`,
  ...[one.degraded, one.slow].map(String),
  one.p95 === null ? "" : String(Math.round(one.p95)),
];

import { UsageError } from "@relevance/lib/platform/failure.ts";

/** Queries that people typed, with their outcome. Only first pages count. */
export interface SearchedQuery {
  query: string;
  /** The index that most of its searches named. */
  index: string;
  searches: number;
  /** Number of distinct users or clients; searches without either id are not counted. */
  people: number;
  /** Searches without hits. */
  zeroHits: number;
  /** Searches with hits of which none was clicked. */
  abandoned: number;
  clicks: number;
  /** The clicks that other queries' hits get at the same ranks. */
  expectedClicks: number;
  /** Searches whose answer lacked a part. */
  degraded: number;
  /** Searches that took longer than 95 % of all. */
  slow: number;
  /** Milliseconds that 95 % of its searches do not exceed; null if the log does not say. */
  p95: number | null;
}

/** How a search can fail, and how often each query did: its frequency times its failure. */
export const FAILURES = {
  "zero-hits": ({ zeroHits }) => zeroHits,
  abandoned: ({ abandoned }) => abandoned,
  "few-clicks": ({ clicks, expectedClicks }) => Math.max(0, expectedClicks - clicks),
  degraded: ({ degraded }) => degraded,
  slow: ({ slow }) => slow,
} as const satisfies Readonly<Record<string, (query: SearchedQuery) => number>>;

export type FailureKind = keyof typeof FAILURES;

export const isFailureKind = (text: string): text is FailureKind => Object.hasOwn(FAILURES, text);

/** Returns the kind of failure that a text names; undefined without a text. Throws UsageError. */
export function failureKind(text: string | undefined): FailureKind | undefined {
  if (text === undefined || isFailureKind(text)) return text;
  throw new UsageError(`--failing: ${JSON.stringify(text)} is none of ${Object.keys(FAILURES).join(", ")}`);
}

/** Returns the queries that fail in one way, those first that failed most often; all as they are if `kind` is undefined. */
export function failing(queries: readonly SearchedQuery[], kind: FailureKind | undefined): readonly SearchedQuery[] {
  if (kind === undefined) return queries;
  const failures = FAILURES[kind];
  return queries.filter((query) => failures(query) > 0).sort((a, b) => failures(b) - failures(a));
}

/** Returns the first queries of every list that {@link failing} can make of these, in their order. */
export function firstOfEach(queries: readonly SearchedQuery[], count: number): SearchedQuery[] {
  const kinds = [undefined, ...Object.keys(FAILURES).filter(isFailureKind)];
  const first = new Set(kinds.flatMap((kind) => failing(queries, kind).slice(0, count)));
  return queries.filter((query) => first.has(query));
}

/** Whether any hit was clicked. Without clicks, `abandoned` says nothing. */
export const hasClicks = (queries: readonly SearchedQuery[]): boolean => queries.some(({ clicks }) => clicks > 0);

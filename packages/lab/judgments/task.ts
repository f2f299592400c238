import { type Judgment, voiceOf } from "./judgments.ts";

/** Queries whose documents several people judge. */
export interface JudgingTask {
  name: string;
  /** The judgments file. */
  judgments: string;
  index: string;
  /** How many hits of each variant are judged. */
  depth: number;
  /** How many people judge each document. */
  raters: number;
  /** Documents of a query are what the variants found when somebody first opened it, so that all judge the same. */
  queries: readonly { query: string; documents?: readonly string[] | undefined }[];
}

/** How far a task is. */
export interface TaskProgress {
  /** Documents of the queries that somebody has opened, and how many of them have enough grades. */
  documents: number;
  done: number;
  /** Queries that nobody has opened. */
  unopened: number;
  /** How many documents of the task each rater has judged, by name. */
  raters: Readonly<Record<string, number>>;
}

/** The raters of each document of a task, by {@link pairKey}. */
type Voices = ReadonlyMap<string, ReadonlySet<string>>;
const pairKey = (query: string, document: string) => JSON.stringify([query, document]);

function voicesIn(rows: readonly Judgment[]): Voices {
  const voices = new Map<string, Set<string>>();
  for (const row of rows) {
    if (voiceOf(row) !== "rater") continue;
    const key = pairKey(row.query, row.document);
    voices.set(key, (voices.get(key) ?? new Set()).add(row.rater ?? ""));
  }
  return voices;
}

/** Returns how far a task is, by the judgments of its file about its index. */
export function taskProgress({ queries, raters: wanted }: JudgingTask, rows: readonly Judgment[]): TaskProgress {
  const voices = voicesIn(rows);
  const pairs = queries.flatMap(({ query, documents = [] }) =>
    documents.map((document) => voices.get(pairKey(query, document)) ?? new Set<string>()),
  );
  const names = [...new Set(pairs.flatMap((raters) => [...raters]))].sort();
  return {
    documents: pairs.length,
    done: pairs.filter((raters) => raters.size >= wanted).length,
    unopened: queries.filter(({ documents }) => documents === undefined).length,
    raters: Object.fromEntries(names.map((name) => [name, pairs.filter((raters) => raters.has(name)).length])),
  };
}

/** Returns the documents of a query that a rater has judged or may still judge: those that lack a grade of somebody. */
export function documentsFor(
  rater: string,
  { query, documents = [] }: JudgingTask["queries"][number],
  { raters: wanted }: Pick<JudgingTask, "raters">,
  rows: readonly Judgment[],
): string[] {
  const voices = voicesIn(rows);
  return documents.filter((document) => {
    const raters = voices.get(pairKey(query, document)) ?? new Set();
    return raters.has(rater) || raters.size < wanted;
  });
}

/**
 * Returns the first query with something for a rater to judge; undefined if there is none. `stuck` are queries that nobody
 * can open now.
 */
export function nextQuery(
  task: JudgingTask,
  rater: string,
  rows: readonly Judgment[],
  stuck: ReadonlySet<string> = new Set(),
): string | undefined {
  const voices = voicesIn(rows);
  const isOpen = (query: string, document: string) => {
    const raters = voices.get(pairKey(query, document)) ?? new Set();
    return raters.size < task.raters && !raters.has(rater);
  };
  return task.queries.find(
    ({ query, documents }) => documents?.some((document) => isOpen(query, document)) ?? !stuck.has(query),
  )?.query;
}

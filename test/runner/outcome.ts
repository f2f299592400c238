import { stripVTControlCharacters } from "node:util";

/** What uvu prints at the end of a file. */
export interface Summary {
  total: number;
  passed: number;
  skipped: number;
}

/** How the process of a test file ended. */
export interface FileEnd {
  /** Standard output and standard error. */
  output: string;
  code: number | null;
  signal: NodeJS.Signals | null;
  timedOut: boolean;
}

/** What a file counts for. `problem` says what its output does not. */
export interface Outcome {
  passed: number;
  failed: number;
  problem?: string;
}

/** uvu's summary in a file's output; of several the last, since a test may print that of another run. */
export function parseSummary(output: string): Summary | undefined {
  const plain = stripVTControlCharacters(output);
  const summaries = plain.matchAll(/^ {2}Total: +(\d+)\n {2}Passed: +(\d+)\n {2}Skipped: +(\d+)$/gm);
  const last = [...summaries].at(-1);
  if (last === undefined) return undefined;
  return { total: Number(last[1]), passed: Number(last[2]), skipped: Number(last[3]) };
}

/** Counts a file. A file that did not end well fails at least once; skipped tests fail in continuous integration. */
export function outcomeOf(end: FileEnd, { ci, timeLimitMs }: { ci: boolean; timeLimitMs: number }): Outcome {
  const summary = parseSummary(end.output);
  if (end.timedOut) {
    return {
      passed: summary?.passed ?? 0,
      failed: 1,
      problem: `ran longer than ${timeLimitMs / 1000} s and was ended: a test waits for what never comes, or keeps a server running`,
    };
  }
  if (summary === undefined) {
    const how = end.signal ? `was ended by ${end.signal}` : `ended with code ${end.code}`;
    return { passed: 0, failed: 1, problem: `${how} before its tests had run` };
  }
  const { total, passed, skipped } = summary;
  if (total === 0 && skipped === 0) return { passed: 0, failed: 1, problem: "has no test" };

  const skips = ci ? skipped : 0;
  const failed = total - passed + skips;
  if (failed === 0 && end.code !== 0) {
    const how = end.signal ? `was ended by ${end.signal}` : `ended with code ${end.code}`;
    return { passed, failed: 1, problem: `${how} although its tests passed` };
  }
  if (skipped > 0) {
    const what = `${skipped} test${skipped === 1 ? " was" : "s were"} skipped (a .skip or .only)`;
    return { passed, failed, problem: what };
  }
  return { passed, failed };
}

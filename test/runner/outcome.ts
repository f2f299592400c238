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
  /** Processor seconds with those of the programs that it waited for; undefined if it was killed. */
  processor?: number;
}

/** What a file adds to the totals. */
export interface Outcome {
  passed: number;
  failed: number;
  /** The failed tests, as uvu names them. */
  names: readonly string[];
  /** What the output does not say. */
  problem?: string;
}

/** Returns uvu's summary of a file; the last one, since a test may print the summary of another run. */
export function parseSummary(output: string): Summary | undefined {
  const summaries = stripVTControlCharacters(output).matchAll(
    /^ {2}Total: +(\d+)\n {2}Passed: +(\d+)\n {2}Skipped: +(\d+)$/gm,
  );
  const last = [...summaries].at(-1);
  if (last === undefined) return undefined;
  return { total: Number(last[1]), passed: Number(last[2]), skipped: Number(last[3]) };
}

/** Returns the names in uvu's `FAIL  suite  "name"` lines. */
function failedTests(output: string): string[] {
  const lines = stripVTControlCharacters(output).matchAll(/^ {3}FAIL {2}(.*)$/gm);
  return [...lines].map(([, name = ""]) => name.trim());
}

/** Counts a file. A file that did not end well fails at least once; skipped tests fail in continuous integration. */
export function outcomeOf(end: FileEnd, options: { ci: boolean; timeLimitMs: number }): Outcome {
  return { ...countsOf(end, options), names: failedTests(end.output) };
}

function countsOf(end: FileEnd, { ci, timeLimitMs }: { ci: boolean; timeLimitMs: number }): Omit<Outcome, "names"> {
  const summary = parseSummary(end.output);
  if (end.timedOut) {
    return {
      passed: summary?.passed ?? 0,
      failed: 1,
      problem: `ran longer than ${timeLimitMs / 1000} s and was ended: a test waits for something that never happens, or a server keeps running`,
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

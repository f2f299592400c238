import * as assert from "uvu/assert";
import { suite } from "../suite.ts";
import { type FileEnd, outcomeOf, parseSummary } from "./outcome.ts";

const test = suite("outcome of a test file");

const summary = (total: number, passed: number, skipped = 0) =>
  ` suite  • •   (${passed} / ${total})\n\n  Total:     ${total}\n  Passed:    ${passed}\n  Skipped:   ${skipped}\n  Duration:  1.20ms\n\n`;

const end = (output: string, rest: Partial<FileEnd> = {}): FileEnd => ({
  output,
  code: 0,
  signal: null,
  timedOut: false,
  ...rest,
});

const local = { ci: false, timeLimitMs: 60_000 };
const ci = { ...local, ci: true };

test("reads uvu's summary, with and without colours", () => {
  assert.equal(parseSummary(summary(12, 11, 1)), { total: 12, passed: 11, skipped: 1 });
  const coloured =
    "\n  Total:     3\u001b[32m\n  Passed:    3\u001b[39m\n  Skipped:   \u001b[33m2\u001b[39m\n  Duration:  1ms";
  assert.equal(parseSummary(coloured), { total: 3, passed: 3, skipped: 2 });
});

test("reads the last of several summaries, and undefined if there is none", () => {
  assert.equal(parseSummary(`${summary(9, 9)}noise\n${summary(2, 1)}`), { total: 2, passed: 1, skipped: 0 });
  assert.is(parseSummary("Total: everything\n"), undefined);
});

const failures =
  '   FAIL  suite  "adds"\n    Expected…\n\n   \u001b[31mFAIL\u001b[39m  suite  "takes away"\n    at x\n';

const OUTCOMES: readonly [what: string, end: FileEnd, passed: number, failed: number, problem?: string][] = [
  ["whose tests pass", end(summary(5, 5)), 5, 0],
  ["with failed tests", end(summary(5, 3), { code: 1 }), 3, 2],
  ["whose tests never ran, although uvu ends with code 0", end(summary(5, 0)), 0, 5],
  ["that dies before its summary", end("boom\n", { code: 1 }), 0, 1, "ended with code 1 before its tests had run"],
  ["that is killed", end("", { code: null, signal: "SIGSEGV" }), 0, 1, "was ended by SIGSEGV before its tests had run"],
  ["that prints nothing", end(""), 0, 1, "ended with code 0 before its tests had run"],
  ["without a test", end(summary(0, 0)), 0, 1, "has no test"],
  ["that fails afterwards", end(summary(4, 4), { code: 1 }), 4, 1, "ended with code 1 although its tests passed"],
  [
    "that is killed afterwards",
    end(summary(4, 4), { code: null, signal: "SIGKILL" }),
    4,
    1,
    "was ended by SIGKILL although its tests passed",
  ],
  ["with skipped tests", end(summary(4, 4, 2)), 4, 0, "2 tests were skipped (a .skip or .only)"],
  ["with a skipped test alone", end(summary(0, 0, 1)), 0, 0, "1 test was skipped (a .skip or .only)"],
];
for (const [what, file, passed, failed, problem] of OUTCOMES) {
  test(`counts a file ${what}`, () => {
    assert.equal(outcomeOf(file, local), { names: [], passed, failed, ...(problem && { problem }) });
  });
}

test("fails skipped tests in continuous integration", () => {
  assert.is(outcomeOf(end(summary(4, 4, 2)), ci).failed, 2);
  assert.is(outcomeOf(end(summary(0, 0, 1)), ci).failed, 1);
});

test("names the failed tests", () => {
  const { names } = outcomeOf(end(failures + summary(3, 1), { code: 1 }), local);
  assert.equal(names, ['suite  "adds"', 'suite  "takes away"']);
});

test("fails a file over its time limit, whatever has passed, and states the limit", () => {
  const outcome = outcomeOf(end("", { code: null, signal: "SIGKILL", timedOut: true }), local);
  assert.is(outcome.failed, 1);
  assert.match(outcome.problem ?? "", "ran longer than 60 s and was ended");
});

test.run();

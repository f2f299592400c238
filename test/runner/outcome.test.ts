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

test("counts passed and failed tests", () => {
  assert.equal(outcomeOf(end(summary(5, 5)), local), { names: [], passed: 5, failed: 0 });
  assert.equal(outcomeOf(end(summary(5, 3), { code: 1 }), local), { names: [], passed: 3, failed: 2 });
});

test("names the failed tests", () => {
  const failures =
    '   FAIL  suite  "adds"\n    Expected…\n\n   \u001b[31mFAIL\u001b[39m  suite  "takes away"\n    at x\n';
  const { names } = outcomeOf(end(failures + summary(3, 1), { code: 1 }), local);
  assert.equal(names, ['suite  "adds"', 'suite  "takes away"']);
});

test("counts tests that never ran as failed, even if uvu ends with code 0", () => {
  assert.equal(outcomeOf(end(summary(5, 0)), local), { names: [], passed: 0, failed: 5 });
});

test("counts one failure for a file that dies before its summary", () => {
  const outcome = outcomeOf(end("SyntaxError: boom\n", { code: 1 }), local);
  assert.equal(outcome, { names: [], passed: 0, failed: 1, problem: "ended with code 1 before its tests had run" });
  assert.match(outcomeOf(end("", { code: null, signal: "SIGSEGV" }), local).problem ?? "", "was ended by SIGSEGV");
});

test("fails a file that prints nothing and ends with code 0", () => {
  assert.is(outcomeOf(end(""), local).failed, 1);
});

test("fails a file whose suite is empty", () => {
  assert.equal(outcomeOf(end(summary(0, 0)), local), { names: [], passed: 0, failed: 1, problem: "has no test" });
});

test("counts one failure for a file that exits with an error after its tests passed", () => {
  const outcome = outcomeOf(end(summary(4, 4), { code: 1 }), local);
  assert.equal(outcome, { names: [], passed: 4, failed: 1, problem: "ended with code 1 although its tests passed" });
});

test("fails a file over its time limit, whatever has passed, and states the limit", () => {
  const outcome = outcomeOf(end("", { code: null, signal: "SIGKILL", timedOut: true }), local);
  assert.is(outcome.failed, 1);
  assert.match(outcome.problem ?? "", "ran longer than 60 s and was ended");
});

test("reports skipped tests locally, and fails them in continuous integration", () => {
  assert.is(outcomeOf(end(summary(4, 4, 2)), local).failed, 0);
  assert.match(outcomeOf(end(summary(4, 4, 2)), local).problem ?? "", "2 tests were skipped");
  assert.is(outcomeOf(end(summary(4, 4, 2)), ci).failed, 2);
});

test("reports a file with only skipped tests locally, and fails it in continuous integration", () => {
  const { passed, failed, problem } = outcomeOf(end(summary(0, 0, 1)), local);
  assert.equal([passed, failed, problem], [0, 0, "1 test was skipped (a .skip or .only)"]);
  assert.equal(outcomeOf(end(summary(0, 0, 1)), ci).failed, 1);
});

test.run();

import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { suite } from "../../../../test/suite.ts";
import { openAnswers } from "../../judging/answers.ts";
import { documentText } from "../../judging/document-text.ts";
import { judgeAll, NoGrades, type Task } from "../../judging/judge.ts";
import { gradeIn, promptFor } from "../../judging/rubric.ts";

const test = suite("judging by a language model");
const folder = mkdtempSync(join(tmpdir(), "judging-"));
test.after(() => rmSync(folder, { recursive: true }));

test("takes an answer for a grade only if its last line is one, and no other", () => {
  for (const answer of ["grade: 2", " Grade: 2\n", "It fits in part.\r\n\r\ngrade:2"]) assert.is(gradeIn(answer), 2);
  const wrong = ["", "2", "grade: 4", "grade: 2.5", "grade: 2 or 3", "**grade: 2**"];
  const others = [...wrong, "grade: 1\ngrade: 2", "grade: 2\nI think"];
  for (const answer of others) assert.is(gradeIn(answer), undefined, answer);
});

test("asks with the query and the text as they are", () => {
  const prompt = promptFor("[document] $&", "a [query] $1");
  assert.match(prompt, "<search>[document] $&</search>");
  assert.match(prompt, "<document>\na [query] $1\n</document>");
});

test("shows a model the texts of a document without its vectors", () => {
  const vector = Array.from({ length: 384 }, () => 0.1);
  const source = { title: "Salt", vector, tags: ["sea", "ship"], year: 1988, none: null };
  assert.is(documentText(source), "title: Salt\ntags: sea, ship\nyear: 1988");
});

const task = (document: string, text = document): Task => ({ queryId: "q", query: "salt", document, text });

/** A model that answers from a list, and counts its calls. */
function judging(file: string, answers: string[]) {
  const calls: string[] = [];
  const ask = async (prompt: string) => {
    calls.push(prompt);
    return { text: answers.shift() ?? "grade: 1", inputTokens: 10, outputTokens: 2 };
  };
  const run = (tasks: readonly Task[], model = "m") =>
    judgeAll(tasks, { model, ask, answers: openAnswers(join(folder, file)), concurrency: 1 });
  return { calls, run };
}

test("asks once more for what is no grade, then counts it as failed, and tells the tokens of all calls", async () => {
  const { calls, run } = judging("failed.jsonl", ["grade: 3", "perhaps 2", "grade: 2", "no", "never"]);
  const outcome = await run([task("a"), task("b"), task("c")]);
  const judged = outcome.judged.map(({ document, grade }) => `${document} ${grade}`);
  assert.equal(judged, ["a 3", "b 2"]);
  assert.equal([outcome.failed, outcome.example, outcome.calls], [1, "never", 5]);
  assert.equal(outcome.tokens, { input: 50, output: 10 });
  assert.match(calls[2] ?? "", "An earlier answer was not such a line.");
});

test("asks again for another text or model, and for nothing that has an answer, also beside a cut line", async () => {
  const first = judging("kept.jsonl", []);
  await first.run([task("a"), task("b")]);
  appendFileSync(join(folder, "kept.jsonl"), '{"model":"m","rub');
  const second = judging("kept.jsonl", ["grade: 0"]);
  const { judged } = await second.run([task("a"), task("other id", "a"), task("b", "new text")]);
  assert.equal([judged.map(({ grade }) => grade), second.calls.length], [[1, 1, 0], 1]);
  const third = judging("kept.jsonl", []);
  await third.run([task("a")], "another");
  assert.is(third.calls.length, 1);
  assert.is(readFileSync(join(folder, "kept.jsonl"), "utf8").trim().split("\n").length, 4);
});

test("gives up on a model none of whose first answers is a grade", async () => {
  const { calls, run } = judging("hopeless.jsonl", new Array<string>(100).fill("As a language model, I cannot"));
  const error = await run(Array.from({ length: 50 }, (_, index) => task(`d${index}`))).catch((cause: unknown) => cause);
  assert.instance(error, NoGrades);
  assert.is(calls.length, 20);
});

test.run();

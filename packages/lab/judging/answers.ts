import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync, truncateSync } from "node:fs";
import { parseJson } from "@relevance/lib/platform/json/values.ts";
import * as v from "valibot";

/** Key of a cached answer: equal questions have equal answers. */
export interface Question {
  model: string;
  /** The version of the rubric. */
  rubric: string;
  query: string;
  /** SHA-256 of the document's text. */
  text: string;
}

const Answer = v.object({
  model: v.string(),
  rubric: v.string(),
  query: v.string(),
  text: v.string(),
  grade: v.picklist([0, 1, 2, 3]),
});

/** Answers of language models, in a file that gets a line for each, so that a run that was killed resumes. */
export interface Answers {
  get(question: Question): number | undefined;
  add(question: Question, grade: number): void;
}

/** Opens a file of answers, which need not exist yet. Its last line may be cut: it is dropped. */
export function openAnswers(file: string): Answers {
  const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
  const whole = bytes.lastIndexOf("\n") + 1;
  if (whole < bytes.length) truncateSync(file, whole);
  const grades = new Map<string, number>();
  for (const line of bytes.subarray(0, whole).toString("utf8").split("\n")) {
    const { success, output } = v.safeParse(Answer, parseJson(line));
    if (success) grades.set(keyOf(output), output.grade);
  }
  return {
    get: (question) => grades.get(keyOf(question)),
    add(question, grade) {
      appendFileSync(file, `${JSON.stringify({ ...question, grade })}\n`);
      grades.set(keyOf(question), grade);
    },
  };
}

const keyOf = ({ model, rubric, query, text }: Question) => JSON.stringify([model, rubric, query, text]);

/** Returns the digest that stands for a document's text. */
export const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

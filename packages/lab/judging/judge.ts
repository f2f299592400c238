import { concurrently } from "@relevance/lib/platform/resilience/concurrently.ts";
import { type Answers, digestOf, type Question } from "./answers.ts";
import { gradeIn, promptFor, RUBRIC_VERSION } from "./rubric.ts";

/** A document to judge for a query. */
export interface Task {
  queryId: string;
  query: string;
  document: string;
  text: string;
}

/** A model's answer with its token counts; undefined if it does not report them. */
export interface ModelAnswer {
  text: string;
  inputTokens: number | undefined;
  outputTokens: number | undefined;
}

/** Asks a language model. Throws if it cannot be reached or refuses. */
export type Ask = (prompt: string) => Promise<ModelAnswer>;

export interface Judged extends Task {
  grade: number;
}

export interface Outcome {
  judged: Judged[];
  /** Tasks whose answers were no grade, twice. */
  failed: number;
  /** An answer of those. */
  example: string;
  calls: number;
  /** Undefined if an answer did not say. */
  tokens: { input: number; output: number } | undefined;
}

/** The model's answers were no grades from the start: each further one would cost and fail, too. */
export class NoGrades extends Error {
  constructor(example: string) {
    super(`None of the first answers is a grade. The model answers ${JSON.stringify(example.slice(0, 200))}`);
  }
}

/** If none of so many first answers is a grade, no later one will be. */
const HOPELESS = 10;

/** Characters of a token in English text. Source: OpenAI, "What are tokens and how to count them?". Others have fewer. */
const TOKEN_CHARACTERS = 4;
/** Tokens of "grade: 2", with its end. */
const ANSWER_TOKENS = 6;

/** Returns about how many tokens judging costs, if the model does not think aloud. */
export const estimateTokens = (tasks: readonly Task[]): { input: number; output: number } => ({
  input: Math.round(tasks.reduce((sum, task) => sum + promptOf(task).length, 0) / TOKEN_CHARACTERS),
  output: tasks.length * ANSWER_TOKENS,
});

const promptOf = ({ query, text }: Task, isRepeated = false) => promptFor(query, text, isRepeated);

/** Returns what identifies a task's answer. */
export const questionOf = (model: string, { query, text }: Task): Question => ({
  ...{ model, rubric: RUBRIC_VERSION, query },
  text: digestOf(text),
});

export interface JudgeOptions {
  model: string;
  ask: Ask;
  answers: Answers;
  /** Calls at a time. */
  concurrency: number;
  onProgress?: (done: number) => void;
}

/**
 * Judges all tasks that have no answer yet, and keeps each answer at once. An answer that is no grade is asked for once
 * more. Throws NoGrades, and the errors of `ask`; a later run then resumes.
 */
export async function judgeAll(
  tasks: readonly Task[],
  { model, ask, answers, concurrency, onProgress }: JudgeOptions,
): Promise<Outcome> {
  const outcome: Outcome = { judged: [], failed: 0, example: "", calls: 0, tokens: { input: 0, output: 0 } };
  const call = async (task: Task, isRepeated: boolean) => {
    outcome.calls += 1;
    const { text, inputTokens, outputTokens } = await ask(promptOf(task, isRepeated));
    const isCounted = inputTokens !== undefined && outputTokens !== undefined;
    outcome.tokens =
      outcome.tokens && isCounted
        ? { input: outcome.tokens.input + inputTokens, output: outcome.tokens.output + outputTokens }
        : undefined;
    const grade = gradeIn(text);
    if (grade === undefined) outcome.example = text;
    return grade;
  };
  let done = 0;
  let answered = 0;
  const graded = await concurrently(tasks, concurrency, async (task): Promise<Judged | undefined> => {
    const question = questionOf(model, task);
    const known = answers.get(question);
    const grade = known ?? (await call(task, false)) ?? (await call(task, true));
    done += 1;
    onProgress?.(done);
    if (grade === undefined) {
      outcome.failed += 1;
      if (answered === 0 && outcome.failed >= HOPELESS) throw new NoGrades(outcome.example);
      return undefined;
    }
    if (known === undefined) answers.add(question, grade);
    answered += 1;
    return { ...task, grade };
  });
  return { ...outcome, judged: graded.filter((one) => one !== undefined) };
}

import { Failure, rethrown } from "@relevance/lib/platform/failure.ts";
import type { Query, SettingsFile } from "../evaluation/settings-file.ts";
import type { SearchPorts } from "../gateway/ports.ts";
import { openAnswers } from "./answers.ts";
import { type Ask, estimateTokens, judgeAll, NoGrades, type Outcome, questionOf } from "./judge.ts";
import { pooledTasks } from "./pool.ts";

interface Judging {
  /** The hits of all its settings are judged. */
  file: SettingsFile;
  queries: readonly Query[];
  /** How many hits of each setting are judged. */
  depth: number;
  /** The fields that the model reads; undefined for all. */
  fields?: readonly string[] | undefined;
  model: string;
  /** Keeps the answers of the model, so that none is paid for twice. */
  answersFile: string;
  /** Calls at a time. */
  concurrency: number;
}

interface JudgingPorts extends SearchPorts {
  ask: Ask;
  /** Called before the model is, if there is anything to ask it. Throws to stop. */
  beforeCalls(cost: { calls: number; tokens: { input: number; output: number } }): Promise<void>;
  /** Runs the calls, which can be repeated after an interruption. */
  whileCalling<T>(work: () => Promise<T>): Promise<T>;
}

/** Lets a language model judge what the settings find for the queries. Throws Failure. */
export async function judgeWithModel(
  { file, queries, model, answersFile, concurrency, ...pooling }: Judging,
  { gateway, ask, note, beforeCalls, whileCalling }: JudgingPorts,
): Promise<Outcome> {
  const { depth, fields } = pooling;
  const tasks = await pooledTasks(gateway, { file, queries, depth, fields, concurrency });
  if (tasks.length === 0) throw new Failure("No search found a document with a text: nothing to judge");
  const answers = openAnswers(answersFile);
  const open = tasks.filter((task) => answers.get(questionOf(model, task)) === undefined);
  const known = tasks.length - open.length;
  note(`${tasks.length} documents of ${queries.length} queries; ${answersFile} has answers for ${known}`);
  if (open.length > 0) await beforeCalls({ calls: open.length, tokens: estimateTokens(open) });
  const onProgress = progressOf(tasks.length, note);
  return whileCalling(() =>
    rethrown(NoGrades, Failure, () => judgeAll(tasks, { model, ask, answers, concurrency, onProgress })),
  );
}

/** Returns the function that notes the progress at each tenth. */
function progressOf(all: number, note: SearchPorts["note"]): (done: number) => void {
  const step = Math.max(1, Math.ceil(all / 10));
  return (done) => {
    if (done % step === 0 || done === all) note(`${done} of ${all}`);
  };
}

import { Failure, rethrown, UsageError } from "@relevance/lib/platform/failure.ts";
import { readSettings } from "../evaluation/input.ts";
import type { Query, SettingsFile } from "../evaluation/settings-file.ts";
import type { SearchPorts } from "../gateway/ports.ts";
import { readTopics } from "../judgments/read.ts";
import { JudgmentsError } from "../judgments/text.ts";
import { JudgmentFile } from "../server/judgment-file.ts";
import { ConsoleError } from "../server/problem.ts";
import { openAnswers } from "./answers.ts";
import { type Ask, estimateTokens, type Judged, judgeAll, NoGrades, type Outcome, questionOf } from "./judge.ts";
import { pooledTasks } from "./pool.ts";
import { RUBRIC_VERSION } from "./rubric.ts";

interface JudgingOptions {
  /** Path of a settings file; the hits of all its settings are judged. */
  settings: string;
  /** Path of a file with a query on each line, or texts by ids. */
  queries: string;
  model: string;
  /** CSV file of judgments to write or continue; those of people stay. */
  output: string;
  /** How many hits of each setting are judged. */
  depth: number;
  /** The fields that the model reads; undefined for all. */
  fields?: readonly string[] | undefined;
  /** Dollars for a million tokens of input, and of output. */
  price?: readonly number[] | undefined;
  /** Calls at a time. */
  concurrency: number;
}

/** A judging whose files are read and checked. */
interface Judging extends JudgingOptions {
  file: SettingsFile;
  texts: readonly Query[];
  write: (judged: Judged) => void;
}

interface JudgingPorts extends SearchPorts {
  ask: Ask;
  /** Called before the model is, if there is anything to ask it. Throws to stop. */
  beforeCalls(): Promise<void>;
  /** Runs the calls, which can be repeated after an interruption. */
  whileCalling<T>(work: () => Promise<T>): Promise<T>;
}

/** Result of a judging run. */
export interface JudgingSummary {
  judgments: number;
  /** Documents for which two answers were no grades. */
  failed: number;
  calls: number;
  /** Null if an answer did not say. */
  tokens: Outcome["tokens"] | null;
  output: string;
}

/** Reads and checks the files of a judging. Throws UsageError. */
export async function readJudging(options: JudgingOptions): Promise<Judging> {
  const file = readSettings(options.settings);
  const topics = await rethrown(JudgmentsError, UsageError, () => readTopics(options.queries));
  const texts = Array.from(topics, ([id, topic]) => ({ id, ...topic }));
  return { ...options, file, texts, write: await openOutput(options, file.index) };
}

/** Lets a language model judge what the settings find for the queries, and writes its judgments. Throws Failure. */
export async function judgeWithModel(
  { file, texts, model, output, write, concurrency, price, ...pooling }: Judging,
  { gateway, ask, note, beforeCalls, whileCalling }: JudgingPorts,
): Promise<JudgingSummary> {
  const { depth, fields } = pooling;
  const tasks = await pooledTasks(gateway, { file, queries: texts, depth, fields, concurrency });
  if (tasks.length === 0) throw new Failure("No search found a document with a text: nothing to judge");
  // Keeps the answers of the model, so that none is paid for twice.
  const answersFile = `${output.slice(0, -".csv".length)}.answers.jsonl`;
  const answers = openAnswers(answersFile);
  const open = tasks.filter((task) => answers.get(questionOf(model, task)) === undefined);
  const known = tasks.length - open.length;
  note(`${tasks.length} documents of ${texts.length} queries; ${answersFile} has answers for ${known}`);
  if (open.length > 0) {
    const cost = costText(estimateTokens(open), price);
    note(`${open.length} calls of ${model}: about ${cost}, and more if it thinks before it answers`);
    await beforeCalls();
  }
  const onProgress = progressOf(tasks.length, note);
  const outcome = await whileCalling(() =>
    rethrown(NoGrades, Failure, () => judgeAll(tasks, { model, ask, answers, concurrency, onProgress })),
  );
  const { judged, failed, example, calls, tokens } = outcome;
  for (const one of judged) write(one);
  const cost = tokens ? costText(tokens, price) : "the model does not say how many tokens";
  note(`${judged.length} judgments of ${model} in ${output}; ${calls} calls: ${cost}`);
  if (failed > 0) {
    note(
      `Warning: ${failed} documents have no judgment, because two answers were no grades, such as ` +
        `${JSON.stringify(example.slice(0, SHOWN))}. Run the command again to ask once more`,
    );
  }
  note("Its error is unknown until people judge a sample: open Judge in the console, which proposes the queries");
  return { judgments: judged.length, failed, calls, tokens: tokens ?? null, output };
}

/** Characters of an answer that are shown. */
const SHOWN = 200;

/**
 * Returns the function that writes a judgment into the output. Throws UsageError if that has judgments of another model, or
 * by another rubric, since their errors differ.
 */
async function openOutput(
  { output, model }: Pick<JudgingOptions, "output" | "model">,
  index: string,
): Promise<Judging["write"]> {
  const who = `${model}, rubric ${RUBRIC_VERSION}`;
  const file = new JudgmentFile(output, () => output);
  const rows = await rethrown(ConsoleError, UsageError, () => file.rows());
  const other = rows.find((row) => row.origin === "model" && row.who !== who)?.who;
  if (other !== undefined) {
    throw new UsageError(`${output} has judgments of ${other}, not of ${who}: choose another --output`);
  }
  const when = new Date().toISOString();
  return ({ queryId, document, grade }) => {
    file.put({ query: queryId, doc: document, grade, index, origin: "model", who, when });
  };
}

function costText({ input, output }: { input: number; output: number }, price: readonly number[] | undefined): string {
  const tokens = `${input.toLocaleString("en")} tokens of input and ${output.toLocaleString("en")} of output`;
  if (!price) return tokens;
  const [forInput = 0, forOutput = 0] = price;
  return `${tokens}, ${((input * forInput + output * forOutput) / 1_000_000).toFixed(2)} dollars`;
}

/** Returns the function that notes the progress at each tenth. */
function progressOf(all: number, note: SearchPorts["note"]): (done: number) => void {
  const step = Math.max(1, Math.ceil(all / 10));
  return (done) => {
    if (done % step === 0 || done === all) note(`${done} of ${all}`);
  };
}

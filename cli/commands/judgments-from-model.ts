import * as v from "valibot";
import { SEARCHES } from "../../lib/platform/contract/search.ts";
import { rethrown, UsageError } from "../../lib/platform/failure.ts";
import type { Query } from "../../packages/lab/evaluation/settings-file.ts";
import type { Ask, Judged, Outcome } from "../../packages/lab/judging/judge.ts";
import { type Context, confOf, defineCommand, resumable } from "../command.ts";
import { confirm } from "../confirm.ts";
import { gatewayOptions, openGateway } from "../gateway/gateway.ts";
import { Concurrency } from "../lab/judged-options.ts";
import { bedrockModel, chatModel, MODEL_KEY_VARIABLE } from "../lab/language-model.ts";
import { filled, number, option, words, yes } from "../options.ts";
import type { Terminal } from "../terminal.ts";

/** `relevance judgments from-model`: a language model judges what the settings find. */
export const command = defineCommand({
  example:
    "relevance judgments from-model --local --settings settings.yaml --queries queries.txt --url http://127.0.0.1:11434/v1 --model qwen3 --output judgments/books.csv",
  json: true,
  options: {
    settings: option(
      "--settings <file>",
      "the settings file of `relevance evaluate`; the hits of all settings are judged",
      v.string(),
    ),
    queries: option(
      "--queries <file>",
      "a query on each line, or texts by ids as `relevance evaluate` reads them",
      v.string(),
    ),
    model: option(
      "--model <name>",
      "model id or inference profile of Bedrock, or the name of a model behind --url",
      filled("needs a name"),
    ),
    url: option(
      "--url <url>",
      `endpoint that speaks the protocol of OpenAI's chat completions, such as http://127.0.0.1:11434/v1; its key, if it needs one, is in ${MODEL_KEY_VARIABLE}`,
      v.optional(v.pipe(v.string(), v.regex(/^https?:\/\//, "must be a URL of http or https"), v.url("must be a URL"))),
    ),
    output: option(
      "--output <file>",
      "CSV file of judgments to write or continue; those of people stay",
      v.pipe(v.string(), v.endsWith(".csv", "must end with .csv")),
    ),
    depth: option(
      "--depth <number>",
      "hits of each setting that are judged",
      number(/^[1-9]\d?$|^100$/, "must be a number from 1 to 100"),
      { default: "10" },
    ),
    fields: option(
      "--fields <names>",
      "fields that the model reads, with commas between (default: all that have a text)",
      v.optional(words),
    ),
    price: option(
      "--price <in,out>",
      "dollars for a million tokens of input and of output, to tell the cost in dollars",
      v.optional(
        v.pipe(
          v.string(),
          v.regex(/^\d+(\.\d+)?,\d+(\.\d+)?$/, "must be two numbers with a comma between"),
          v.transform((text) => text.split(",").map(Number)),
        ),
      ),
    ),
    concurrency: option("--concurrency <number>", "calls at a time", Concurrency, { default: "4" }),
    ...yes("do not ask before the model is called"),
    ...gatewayOptions,
  },
  run: async (options, context) => {
    const { terminal } = context;
    const { judgeWithModel } = await import("../../packages/lab/judging/judge-with-model.ts");
    const { readSettings } = await import("../../packages/lab/evaluation/input.ts");
    const file = readSettings(options.settings);
    const queries = await readTexts(options.queries);
    const { model, output, price } = options;
    const write = await openOutput(output, model, file.index);
    const ask = await openModel(options, context);
    const gateway = await openGateway(options, context, SEARCHES);
    const outcome = await judgeWithModel(
      { ...options, file, queries, answersFile: `${output.slice(0, -".csv".length)}.answers.jsonl` },
      {
        ...{ gateway, ask, note: terminal.note },
        async beforeCalls({ calls, tokens }) {
          const cost = costText(tokens, price);
          terminal.note(`${calls} calls of ${model}: about ${cost}, and more if it thinks before it answers`);
          await confirm(terminal, { text: "Call the model?", yes: options.yes });
        },
        whileCalling: (work) => resumable(terminal, work),
      },
    );
    for (const judged of outcome.judged) write(judged);
    report(outcome, options, terminal);
    return 0;
  },
});

/** Reads the texts of queries by their ids. Throws UsageError. */
async function readTexts(file: string): Promise<Query[]> {
  const { JudgmentsError } = await import("../../packages/lab/judgments/text.ts");
  const { readTopics } = await import("../../packages/lab/judgments/read.ts");
  const topics = await rethrown(JudgmentsError, UsageError, () => readTopics(file));
  return Array.from(topics, ([id, topic]) => ({ id, ...topic }));
}

/** Returns the model of the options. Throws Failure and UsageError. */
async function openModel({ model, url, ...options }: ModelOptions, context: Context): Promise<Ask> {
  if (url !== undefined) return chatModel({ url, model, key: context.env[MODEL_KEY_VARIABLE] });
  const { openSession } = await import("../session.ts");
  const { sdk } = await openSession(confOf(options), context);
  return bedrockModel(model, sdk.region);
}

interface ModelOptions {
  conf: string;
  local: boolean;
  model: string;
  url?: string | undefined;
}

/**
 * Returns the function that writes a judgment into the output. Throws UsageError if that has judgments of another model, or
 * by another rubric, since their errors differ.
 */
async function openOutput(output: string, model: string, index: string): Promise<(judged: Judged) => void> {
  const { JudgmentFile } = await import("../../packages/lab/server/judgment-file.ts");
  const { ConsoleError } = await import("../../packages/lab/server/problem.ts");
  const { RUBRIC_VERSION } = await import("../../packages/lab/judging/rubric.ts");
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

interface ReportOptions {
  json: boolean;
  model: string;
  output: string;
  price?: readonly number[] | undefined;
}

function report(outcome: Outcome, { json, model, output, price }: ReportOptions, terminal: Terminal): void {
  const { judged, failed, example, calls, tokens } = outcome;
  if (json) terminal.printJson({ judgments: judged.length, failed, calls, tokens: tokens ?? null, output });
  const cost = tokens ? costText(tokens, price) : "the model does not say how many tokens";
  terminal.note(`${judged.length} judgments of ${model} in ${output}; ${calls} calls: ${cost}`);
  if (failed > 0) {
    terminal.note(
      `Warning: ${failed} documents have no judgment, because two answers were no grades, such as ` +
        `${JSON.stringify(example.slice(0, SHOWN))}. Run the command again to ask once more`,
    );
  }
  terminal.note(
    "Its error is unknown until people judge a sample: open Judge in the console, which proposes the queries",
  );
}

/** Characters of an answer that are shown. */
const SHOWN = 200;

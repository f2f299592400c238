import * as v from "valibot";
import { SEARCHES } from "../../lib/platform/contract/search.ts";
import type { Ask } from "../../packages/lab/judging/judge.ts";
import { type Context, confOf, defineCommand, resumable } from "../command.ts";
import { confirm } from "../confirm.ts";
import { gatewayOptions, openGateway } from "../gateway/gateway.ts";
import { Concurrency } from "../lab/judged-options.ts";
import { filled, number, option, words, yes } from "../options.ts";

/** Holds the key of an endpoint that needs one. */
const MODEL_KEY_VARIABLE = "RELEVANCE_MODEL_KEY";

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
    const { judgeWithModel, readJudging } = await import("../../packages/lab/judging/judge-with-model.ts");
    const judging = await readJudging(options);
    const ask = await openModel(options, context);
    const summary = await judgeWithModel(judging, {
      ...{ gateway: await openGateway(options, context, SEARCHES), ask, note: terminal.note },
      beforeCalls: () => confirm(terminal, { text: "Call the model?", yes: options.yes }),
      whileCalling: (work) => resumable(terminal, work),
    });
    if (options.json) terminal.printJson(summary);
  },
});

interface ModelOptions {
  conf: string;
  local: boolean;
  model: string;
  url: string | undefined;
}

/** Returns the model of the options. Throws Failure and UsageError. */
async function openModel({ model, url, ...options }: ModelOptions, context: Context): Promise<Ask> {
  const { bedrockModel, chatModel } = await import("../../packages/lab/judging/language-model.ts");
  const [key, keyVariable] = [context.env[MODEL_KEY_VARIABLE], MODEL_KEY_VARIABLE];
  if (url !== undefined) return chatModel({ url, model, key, keyVariable });
  const { openSession } = await import("../project.ts");
  const { sdk } = await openSession(confOf(options), context);
  return bedrockModel(model, sdk.region);
}

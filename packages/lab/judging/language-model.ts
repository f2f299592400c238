import { Failure } from "@relevance/lib/platform/failure.ts";
import { deadlineIn, retry } from "@relevance/lib/platform/resilience/deadline.ts";
import * as v from "valibot";
import type { Ask } from "./judge.ts";

/** Milliseconds of one call: a model on a laptop may think for a while. */
const CALL_MS = 120_000;
/** The longest that an answer takes, retries included. */
const ALL_MS = 300_000;
const ATTEMPTS = 5;

/** A temporary failure: a retry may succeed. */
class Passing extends Failure {}

/** The model takes no temperature, as those that think do not. */
class NoTemperature extends Failure {}

/** Asks with temperature 0, so that the same question has the same answer, until the model refuses that. */
function asking(call: (prompt: string, parameters: { temperature?: 0 }) => ReturnType<Ask>): Ask {
  let parameters: { temperature?: 0 } = { temperature: 0 };
  return (prompt) =>
    retry(
      async () => {
        try {
          return await call(prompt, parameters);
        } catch (error) {
          if (!(error instanceof NoTemperature) || !("temperature" in parameters)) throw error;
          parameters = {};
          return await call(prompt, parameters);
        }
      },
      { deadline: deadlineIn(ALL_MS), attempts: ATTEMPTS, retryable: (error) => error instanceof Passing },
    );
}

/** Characters of an error that are shown. */
const SHOWN = 500;

const Completion = v.looseObject({
  choices: v.pipe(
    v.array(v.looseObject({ message: v.looseObject({ content: v.nullish(v.string(), "") }) })),
    v.minLength(1),
  ),
  usage: v.nullish(v.looseObject({ prompt_tokens: v.optional(v.number()), completion_tokens: v.optional(v.number()) })),
});

/** Where a model answers by the protocol of OpenAI's chat completions. */
interface ChatEndpoint {
  /** Without `/chat/completions`, for example `http://127.0.0.1:11434/v1`. */
  url: string;
  model: string;
  /** Undefined for an endpoint that needs none. */
  key: string | undefined;
  /** Where the user puts the key, for the message of an endpoint that refuses it. */
  keyVariable: string;
}

/** Returns a model that is asked by the protocol of OpenAI's chat completions. It throws Failure, never with the key. */
export function chatModel({ url, model, key, keyVariable }: ChatEndpoint): Ask {
  const target = `${url.endsWith("/") ? url.slice(0, -1) : url}/chat/completions`;
  const shown = (text: string) => (key ? text.replaceAll(key, "***") : text).slice(0, SHOWN);
  return asking(async (prompt, parameters) => {
    let answer: Response;
    let text: string;
    try {
      answer = await fetch(target, {
        method: "POST",
        headers: { "content-type": "application/json", ...(key && { authorization: `Bearer ${key}` }) },
        body: JSON.stringify({ model, messages: [{ role: "user", content: prompt }], ...parameters }),
        signal: AbortSignal.timeout(CALL_MS),
      });
      text = await answer.text();
    } catch (cause) {
      throw new Passing(`Cannot reach the model at ${target}`, { cause });
    }
    if (!answer.ok) {
      const message = `The model at ${target} answered ${answer.status}: ${shown(text)}`;
      if (answer.status === 401 || answer.status === 403) {
        throw new Failure(`${message}\nPut its key into ${keyVariable}`);
      }
      throw failureOf(answer.status, message);
    }
    const parsed = v.safeParse(Completion, jsonOf(text));
    if (!parsed.success) throw new Failure(`The answer of ${target} is no chat completion: ${shown(text)}`);
    const { choices, usage } = parsed.output;
    return {
      text: choices[0]?.message.content ?? "",
      ...{ inputTokens: usage?.prompt_tokens, outputTokens: usage?.completion_tokens },
    };
  });
}

function failureOf(status: number, message: string): Failure {
  if (status === 429 || status >= 500) return new Passing(message);
  return /temperature/i.test(message) ? new NoTemperature(message) : new Failure(message);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns a model of Amazon Bedrock, asked by Converse; that takes the permission bedrock:InvokeModel. It throws Failure. */
export async function bedrockModel(model: string, region: string): Promise<Ask> {
  const [{ BedrockRuntimeClient, ConverseCommand }, { NodeHttpHandler }] = await Promise.all([
    import("@aws-sdk/client-bedrock-runtime"),
    import("@smithy/node-http-handler"),
  ]);
  // The client's own handler speaks HTTP/2 alone, which proxies and local endpoints may not.
  const client = new BedrockRuntimeClient({ region, maxAttempts: 1, requestHandler: new NodeHttpHandler() });
  return asking(async (prompt, inferenceConfig) => {
    const messages = [{ role: "user" as const, content: [{ text: prompt }] }];
    const command = new ConverseCommand({ modelId: model, messages, inferenceConfig });
    try {
      const { output, usage } = await client.send(command, { abortSignal: AbortSignal.timeout(CALL_MS) });
      const text = output?.message?.content?.map((block) => block.text ?? "").join("") ?? "";
      return { text, inputTokens: usage?.inputTokens, outputTokens: usage?.outputTokens };
    } catch (error) {
      const { name, message, $metadata } = error as {
        name: string;
        message: string;
        $metadata?: { httpStatusCode?: number };
      };
      const said = `Bedrock's model ${model} in ${region}: ${name}: ${message}`.slice(0, SHOWN);
      throw failureOf($metadata?.httpStatusCode ?? (name === "CredentialsProviderError" ? 400 : 503), said);
    }
  });
}

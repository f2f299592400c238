import * as v from "valibot";
import { isObject, parseJson } from "../../lib/platform/json/values.ts";
import { answerTo, Message, refused } from "../../lib/platform/mcp/protocol.ts";
import type { ToolDescription } from "../../lib/platform/mcp/tool.ts";
import { namesThereAre } from "../../lib/settings/nearest.ts";

/** An API and the key that agents call it with. */
export interface KeyedApi {
  url: string;
  key: string;
}

/** The APIs by the beginning of their tools' names. */
export type Apis = Readonly<Partial<Record<"search" | "recommend", KeyedApi>>>;

/** Longer than API Gateway waits for an answer. */
const CALL_MS = 35_000;

/** Codes of JSON-RPC for text that is no JSON, for what is no message, and for a failed call. */
const NO_JSON = -32_700;
const NO_MESSAGE = -32_600;
const FAILED = -32_603;

/**
 * Returns what answers messages with the tools of all APIs: the text of the answer, undefined if there is none. A call of a
 * tool goes to its API as it came. An API that fails leaves its tools out, and `note` is told why.
 */
export function joined(apis: Apis, note: (text: string) => void): (line: string) => Promise<string | undefined> {
  return async (line) => {
    const body = parseJson(line);
    const { success, output: message } = v.safeParse(Message, body);
    if (!success) return JSON.stringify(unread(body));
    const { id, method, params } = message;
    try {
      const api = id !== undefined && method === "tools/call" ? apiOf(apis, params?.name) : undefined;
      if (api) return await post(api, line);
      const answer = await answerTo(message, {
        name: "relevance",
        instructions: "Searches and recommendations. Each tool is one search or one list of items, best first.",
        namesThereAre,
        list: () => toolsOf(apis, note),
        call: async () => undefined,
      });
      return answer && JSON.stringify(answer);
    } catch (error) {
      return id === undefined ? undefined : JSON.stringify(refused(id, FAILED, (error as Error).message));
    }
  };
}

const unread = (body: unknown) => ({
  jsonrpc: "2.0",
  id: null,
  error:
    body === undefined
      ? { code: NO_JSON, message: "The line is not JSON." }
      : { code: NO_MESSAGE, message: "The line is not a message of JSON-RPC 2.0." },
});

function apiOf(apis: Apis, name: unknown): KeyedApi | undefined {
  if (typeof name !== "string") return undefined;
  return Object.entries(apis).find(([start]) => name.startsWith(`${start}_`))?.[1];
}

/** Returns the tools of all APIs. Rejects if none could be asked. */
async function toolsOf(apis: Apis, note: (text: string) => void): Promise<ToolDescription[]> {
  const request = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const answers = await Promise.allSettled(Object.values(apis).map((api) => post(api, request)));
  const failures = answers.flatMap((answer) =>
    answer.status === "rejected" ? [(answer.reason as Error).message] : [],
  );
  for (const failure of failures) note(failure);
  if (failures.length === answers.length) throw new Error(failures.join(" "));
  return answers.flatMap((answer) => (answer.status === "fulfilled" ? listedIn(parseJson(answer.value)) : []));
}

function listedIn(answer: unknown): ToolDescription[] {
  const result = isObject(answer) && isObject(answer.result) ? answer.result : {};
  return Array.isArray(result.tools) ? result.tools : [];
}

/**
 * Posts a message to an API. Returns the text of its answer. Throws for any answer that is not the protocol's. Not by
 * `packages/clients/typescript`, whose errors are those of the other endpoints.
 */
async function post({ url, key }: KeyedApi, message: string): Promise<string> {
  const { origin } = new URL(url);
  const answer = await fetch(`${url.replace(/\/$/, "")}/mcp`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", "x-api-key": key },
    body: message,
    // A redirect would take the key to another host.
    redirect: "manual",
    signal: AbortSignal.timeout(CALL_MS),
  }).catch((cause: unknown) => {
    throw new Error(`${origin} cannot be reached.`, { cause });
  });
  const text = await answer.text();
  if (answer.status === 200) return text;
  const body = parseJson(text);
  const said = isObject(body) && isObject(body.error) ? body.error.message : text.slice(0, 500);
  throw new Error(`${origin} answered ${answer.status}: ${said}`);
}

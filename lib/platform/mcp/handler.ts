import * as v from "valibot";
import { bytesHandler, parseJsonBody, requireJson } from "../http/body-handlers.ts";
import type { Call, ProxyEvent, ProxyHandler, ProxyResult } from "../http/event.ts";
import type { ApiOptions } from "../http/middleware.ts";
import type { ServedRoute } from "../http/route.ts";
import { createRouter, type RouterOptions } from "../http/router.ts";
import { invalidRequest, validate } from "../http/validate.ts";
import { elementSlices, memberSlices, withMembers } from "../json/slices.ts";
import { isObject, parseJson, parseLossless } from "../json/values.ts";
import { concurrently } from "../resilience/concurrently.ts";
import { answerText } from "./answer.ts";
import { answerTo, Message, PROTOCOL_VERSIONS, type ToolResult, type ToolServer } from "./protocol.ts";
import { ArgumentError, argumentsOf, type Tool } from "./tool.ts";

interface McpOptions extends Pick<ToolServer, "name" | "instructions"> {
  api: ApiOptions;
  /** Returns the tools of the caller. */
  toolsOf: (call: Call) => Promise<readonly Tool[]>;
  /** Returns advice for a name that no tool has, from the names of the caller's tools. */
  namesThereAre: (name: string, known: readonly string[]) => string;
  /** The routes behind the tools, and what loads them. */
  routes: readonly ServedRoute[];
  load: RouterOptions["load"];
}

/**
 * Returns the handler of `POST /mcp`: the Model Context Protocol over HTTP, without sessions and streams. A call of a tool is
 * a request to an endpoint, with the headers and the identity of the caller, so it can do what that key may do and nothing else.
 */
export function mcpHandler(options: McpOptions): ProxyHandler {
  const { api, toolsOf, routes, load, name, instructions, namesThereAre } = options;
  const dispatch = createRouter({ api, routes, load });
  return (event, context) =>
    bytesHandler(api, async (_event, { bytes, ...call }) => {
      requireJson({ bytes, ...call });
      requireVersion(call);
      const { text, body } = await parseJsonBody(bytes);
      const tools = () => toolsOf(call);
      const answered = async (message: Message, own: string): Promise<string | undefined> => {
        const answer = await answerTo(message, {
          ...{ name, instructions, namesThereAre, list: tools },
          call: async (wanted) => {
            const tool = (await tools()).find((one) => one.name === wanted);
            if (!tool) return undefined;
            return called(tool, message, own, (request) => dispatch(innerEvent(event, tool.path, request), context));
          },
        });
        // As text, an id beyond 2^53 stays what it was.
        return answer && withMembers(JSON.stringify(answer), { id: sliceOf(own, "id") });
      };
      const reply = (json: string | undefined) =>
        json === undefined ? { status: 202, body: "" } : { status: 200, body: json };
      if (!Array.isArray(body) || !takesBatches(call)) return reply(await answered(validate(Message, body), text));
      const messages = validate(Batch, body);
      const texts = elementSlices(text).map(({ start, end }) => text.slice(start, end));
      const answers = await concurrently([...messages.entries()], 5, ([at, one]) => answered(one, texts[at] ?? ""));
      const given = answers.filter((answer) => answer !== undefined);
      return reply(given.length > 0 ? `[${given.join()}]` : undefined);
    })(event, context);
}

/** Several messages of one request, which versions before 2025-06-18 have. */
const Batch = v.pipe(v.array(Message), v.minLength(1), v.maxLength(20));

/** Returns whether the client may speak a version with batches, which have no header for it. */
const takesBatches = ({ headers: { "mcp-protocol-version": version } }: Call): boolean =>
  version === undefined || version < "2025-06-18";

/** Throws `invalid_request` for a version of the protocol that is not served. Clients name it after the first answer. */
function requireVersion({ headers: { "mcp-protocol-version": version } }: Call): void {
  if (version === undefined || PROTOCOL_VERSIONS.some((one) => one === version)) return;
  throw invalidRequest([
    { path: "mcp-protocol-version", message: `is a version that is not served: use ${PROTOCOL_VERSIONS.join(", ")}` },
  ]);
}

/** Returns the event of the request behind a call of a tool. Its answer must not be compressed, since it is read here. */
function innerEvent(event: ProxyEvent, path: string, body: string): ProxyEvent {
  const kept = Object.entries(event.headers).filter(([name]) => !OF_THE_BODY.has(name.toLowerCase()));
  return {
    ...event,
    path,
    httpMethod: "POST",
    headers: { ...Object.fromEntries(kept), "content-type": "application/json" },
    body,
    isBase64Encoded: false,
  };
}

const OF_THE_BODY = new Set(["content-type", "content-encoding", "content-length", "accept-encoding"]);

async function called(
  tool: Tool,
  { params }: Message,
  text: string,
  send: (request: string) => Promise<ProxyResult>,
): Promise<ToolResult> {
  try {
    const given = argumentsOf(tool, params?.arguments, textAt(text, ["params", "arguments"]));
    const { statusCode, body, headers = {} } = await send(tool.request(given));
    if (statusCode !== 200) return failed(errorText(body));
    const found = tool.read(parseLossless(body) as Record<string, unknown>, given, headers);
    return { content: [{ type: "text", text: answerText(found, given.skip) }] };
  } catch (error) {
    if (error instanceof ArgumentError) return failed(error.message);
    throw error;
  }
}

/** Returns what reads the JSON text of members of an object inside a JSON text. */
function textAt(text: string, path: readonly string[]): (name: string) => string | undefined {
  let whole: string | undefined = text;
  for (const name of path) whole = whole && sliceOf(whole, name);
  return (name) => whole && sliceOf(whole, name);
}

function sliceOf(text: string, name: string): string | undefined {
  const slice = text.trimStart().startsWith("{") ? memberSlices(text).get(name) : undefined;
  return slice && text.slice(slice.start, slice.end);
}

const failed = (text: string): ToolResult => ({ content: [{ type: "text", text }], isError: true });

/** The longest text of an error, in characters. */
const MAX_ERROR = 2_000;

/** Returns the code, the message and the issues of an error answer. The message has a single issue already. */
function errorText(body: string): string {
  const parsed = parseJson(body);
  const error = isObject(parsed) && isObject(parsed.error) ? parsed.error : {};
  const issues = Array.isArray(error.issues) && error.issues.length > 1 ? error.issues : [];
  const lines = issues.map(({ path, message }: Record<string, unknown>) => `${path} ${message}`);
  return [`${error.code}: ${error.message}`, ...lines].join("\n").slice(0, MAX_ERROR).toWellFormed();
}

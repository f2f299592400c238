import httpJsonBodyParser from "@middy/http-json-body-parser";
import type { GenericSchema, InferOutput } from "valibot";
import { nestingIssue, queryIssue } from "../json/nesting.ts";
import { bytesHandler } from "./bytes-handler.ts";
import { ApiError } from "./error.ts";
import type { JsonCall, ProxyHandler, Reply } from "./event.ts";
import type { ApiOptions } from "./middleware.ts";
import { invalidRequest, validate } from "./validate.ts";

export interface JsonHandlerOptions<Schema extends GenericSchema> {
  api: ApiOptions;
  schema: Schema;
  /** Whether the body holds queries of the search cluster, whose strings could also end a node. */
  queries?: boolean;
  /** Tells a caller whose body is over the limit how to send less. */
  splitHint?: string;
  handle: (call: JsonCall<InferOutput<Schema>>) => Promise<Reply>;
}

/**
 * Returns the handler of an endpoint with a JSON body. Checks size, content type, nesting, syntax and schema before
 * `handle`.
 */
export function jsonHandler<Schema extends GenericSchema>(options: JsonHandlerOptions<Schema>): ProxyHandler {
  const { api, schema, queries = false, splitHint, handle } = options;
  return bytesHandler(
    api,
    async (_event, { bytes, ...call }) => {
      if (bytes.length === 0) throw new ApiError("invalid_request", "The request has no body; send a JSON object.");
      requireJsonType(call.headers["content-type"]);
      const tooDeep = nestingIssue(bytes);
      if (tooDeep) throw invalidRequest([tooDeep]);
      const text = bytes.toString("utf8");
      const body = await parseBody(text);
      const harmful = queries ? queryIssue(body) : undefined;
      if (harmful) throw invalidRequest([harmful]);
      return handle({ ...call, body: validate(schema, body), text });
    },
    splitHint,
  );
}

const JSON_TYPE = /^application\/([a-z0-9.+-]+\+)?json(;|$)/i;

function requireJsonType(type = "none"): void {
  if (JSON_TYPE.test(type)) return;
  throw new ApiError("unsupported_media_type", `The content type must be application/json, got ${type.slice(0, 100)}.`);
}

/**
 * Matches a key `__proto__`, written plainly or with escapes, since assigning to it changes an object's prototype.
 * Matches only keys, because no string contains an unescaped quote (docs/decisions/0005-parsing.md).
 */
const PROTO_KEY =
  /(?<!\\)"(?:_|\\u005f){2}(?:p|\\u0070)(?:r|\\u0072)(?:o|\\u006f)(?:t|\\u0074)(?:o|\\u006f)(?:_|\\u005f){2}"\s*:/i;

const middysParser = httpJsonBodyParser({ disableContentTypeCheck: true });
type ParserRequest = Parameters<NonNullable<typeof middysParser.before>>[0];

/**
 * Returns the JSON value of a body. Throws `invalid_request` for invalid syntax and for a key `__proto__`, which
 * Middy's parser rejects. Its reviver makes parsing ten times slower, so it gets only bodies that may have such a key.
 */
async function parseBody(text: string): Promise<unknown> {
  const mayHoldKey = text.includes("__proto__") || text.includes("\\u");
  try {
    if (!mayHoldKey || !PROTO_KEY.test(text)) return JSON.parse(text);
    const event = { headers: {}, body: text };
    await middysParser.before?.({ event } as unknown as ParserRequest);
    return event.body;
  } catch (cause) {
    const { message } = cause as Error;
    const reason = message.startsWith("Forbidden key")
      ? 'The body has a key "__proto__", which is not allowed.'
      : `The body is not valid JSON: ${message}`;
    throw new ApiError("invalid_request", reason, { cause });
  }
}

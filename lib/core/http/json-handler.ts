import httpJsonBodyParser from "@middy/http-json-body-parser";
import type { GenericSchema, InferOutput } from "valibot";
import { nestingIssue, queryIssue } from "../json/nesting.ts";
import { type BytesCall, bytesHandler } from "./bytes-handler.ts";
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
      requireJson({ bytes, ...call });
      const { text, body } = await parseJsonBody(bytes);
      const harmful = queries ? queryIssue(body) : undefined;
      if (harmful) throw invalidRequest([harmful]);
      return handle({ ...call, body: validate(schema, body), text });
    },
    splitHint,
  );
}

const JSON_TYPE = /^application\/([a-z0-9.+-]+\+)?json(;|$)/i;

/** Requires a body, and a content type of JSON. Throws ApiError. */
export function requireJson({ bytes, headers: { "content-type": type = "none" } }: BytesCall): void {
  if (bytes.length === 0) throw new ApiError("invalid_request", "The request has no body; send a JSON object.");
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

/** Returns whether a JSON text has a key `__proto__`. */
export function holdsProtoKey(bytes: Buffer): boolean {
  // The key is ASCII, so latin1 suffices. A byte is found faster than a text.
  return (bytes.includes("__proto__") || bytes.includes("\\u")) && PROTO_KEY.test(bytes.toString("latin1"));
}

/**
 * Returns a body as text and as JSON value. Throws `invalid_request` for invalid syntax, for deep nesting, and for a key
 * `__proto__`, which Middy's parser rejects. Its reviver makes parsing ten times slower, so it gets only such bodies.
 */
export async function parseJsonBody(bytes: Buffer): Promise<{ text: string; body: unknown }> {
  const tooDeep = nestingIssue(bytes);
  if (tooDeep) throw invalidRequest([tooDeep]);
  const text = bytes.toString("utf8");
  try {
    if (!holdsProtoKey(bytes)) return { text, body: JSON.parse(text) };
    const event = { headers: {}, body: text };
    await middysParser.before?.({ event } as unknown as ParserRequest);
    return { text, body: event.body };
  } catch (cause) {
    const { message } = cause as Error;
    const reason = message.startsWith("Forbidden key")
      ? 'The body has a key "__proto__", which is not allowed.'
      : `The body is not valid JSON: ${message}`;
    throw new ApiError("invalid_request", reason, { cause });
  }
}

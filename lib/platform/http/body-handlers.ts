import { isUtf8 } from "node:buffer";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import httpJsonBodyParser from "@middy/http-json-body-parser";
import * as v from "valibot";
import { MAX_DEPTH, nestingIssue } from "../json/nesting.ts";
import { BACKSLASH } from "../json/values.ts";
import { ApiError } from "./error.ts";
import { type Call, headerOf, type JsonCall, type ProxyEvent, type ProxyHandler, type Reply } from "./event.ts";
import { type ApiOptions, plainHandler } from "./middleware.ts";
import { invalidRequest, validate } from "./validate.ts";

export interface JsonHandlerOptions<Schema extends v.GenericSchema> {
  api: ApiOptions;
  schema: Schema;
  /** Whether the body holds queries of the search cluster, whose strings could also end a node. */
  queries?: boolean;
  /** Tells a caller whose body is over the limit how to send less. */
  splitHint?: string;
  handle: (call: JsonCall<v.InferOutput<Schema>>) => Promise<Reply>;
}

/**
 * Returns the handler of an endpoint with a JSON body. Checks size, content type, nesting, syntax and schema before
 * `handle`.
 */
export function jsonHandler<Schema extends v.GenericSchema>(options: JsonHandlerOptions<Schema>): ProxyHandler {
  const { api, schema, queries = false, splitHint, handle } = options;
  return bytesHandler(
    api,
    async (_event, { bytes, ...call }) => {
      requireJson({ bytes, ...call });
      const { text, body } = await parseJsonBody(bytes);
      if (Array.isArray(body)) throw new ApiError("invalid_request", "The body is an array; send a JSON object.");
      if (queries && mayHarm(text)) await requireHarmless(body);
      const own = call.caller.token ? await import("./own-user.ts") : undefined;
      const valid = validate(schema, body);
      return handle({ ...call, body: own ? own.withOwnUser(call.caller, valid) : valid, text });
    },
    splitHint,
  );
}

/** Keys below which strings are regular expressions or queries, plain or with escapes. */
const HARMING_KEYS = /rege|clude"|query_string"|wrapper"|\\u/;

/** Returns whether strings of a body could end a node of the cluster; most bodies have neither the keys nor the brackets. */
const mayHarm = (text: string): boolean =>
  HARMING_KEYS.test(text) || text.split(/[([{]/, MAX_DEPTH + 2).length > MAX_DEPTH;

async function requireHarmless(body: unknown): Promise<void> {
  const { queryIssue } = await import("../json/query-issue.ts");
  const harmful = queryIssue(body);
  if (harmful) throw invalidRequest([harmful]);
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

/** Returns whether a JSON text has a key `__proto__`. */
export function holdsProtoKey(bytes: Buffer): boolean {
  // The key is ASCII, so latin1 suffices.
  return maybeProtoKey(bytes) && PROTO_KEY.test(bytes.toString("latin1"));
}

/** Returns whether a body has the name, or escapes that may write it. A byte is found faster than a text. */
const maybeProtoKey = (bytes: Buffer): boolean => bytes.includes("__proto__") || bytes.includes("\\u");

const parser = httpJsonBodyParser({ disableContentTypeCheck: true });
type ParserRequest = Parameters<NonNullable<typeof parser.before>>[0];

/** The error of Middy's parser: the refused key, or why the body is not JSON. */
const Refused = v.object({ cause: v.object({ data: v.unknown(), message: v.optional(v.string()) }) });

/**
 * Returns a body as text and as JSON value. Throws `invalid_request` for invalid syntax, for deep nesting, and for a key
 * `__proto__`.
 */
export async function parseJsonBody(bytes: Buffer): Promise<{ text: string; body: unknown }> {
  const tooDeep = nestingIssue(bytes);
  if (tooDeep) throw invalidRequest([tooDeep]);
  const text = bytes.toString("utf8");
  if (bytes.length > LONG_BODY_BYTES && !maybeProtoKey(bytes)) return { text, body: parsedPlainly(text) };
  const event = { headers: {}, body: text };
  try {
    await parser.before?.({ event } as unknown as ParserRequest);
    return { text, body: event.body };
  } catch (cause) {
    const { data: key, message } = v.is(Refused, cause) ? cause.cause : {};
    // The parser refuses `constructor` with a `prototype` as well. Nothing here merges objects, so it is ordinary data.
    if (key === "constructor" && !holdsProtoKey(bytes)) return { text, body: JSON.parse(text) };
    if (message !== undefined) throw notJson(message, cause);
    throw new ApiError("invalid_request", 'The body has a key "__proto__", which is not allowed.', { cause });
  }
}

/**
 * Middy's parser calls a function for each value, to find the key. A body with a vector takes it five times as long as
 * JSON.parse, so it does not read long bodies that cannot have the key (decision 65).
 */
const LONG_BODY_BYTES = 1_000;

function parsedPlainly(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw notJson((cause as SyntaxError).message, cause);
  }
}

const notJson = (message: string, cause: unknown) =>
  new ApiError("invalid_request", `The body is not valid JSON: ${message}`, { cause });

/** A request with a body of any format: its bytes, with the content encoding decoded. */
export interface BytesCall extends Call {
  bytes: Buffer;
}

/** Returns the handler of an endpoint that reads its body. `splitHint` says what to do when the body is too long. */
export function bytesHandler(
  api: ApiOptions,
  handle: (event: ProxyEvent, call: BytesCall) => Promise<Reply>,
  splitHint?: string,
): ProxyHandler {
  return plainHandler(api, async (event, call) => {
    const bytes = await readBody(event, splitHint);
    // Frees up to 5.6 MB of base64 while the request is handled.
    event.body = null;
    return handle(event, { ...call, bytes });
  });
}

/** The largest request body of both services, in bytes. Base64 makes it 5.6 MB of the 6,291,456 bytes of an event. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** Decodes a content encoding. Rejects with ERR_BUFFER_TOO_LARGE before it makes more than `maxOutputLength` bytes. */
type Decoder = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ["gzip", promisify(gunzip)],
  ["x-gzip", promisify(gunzip)],
  ["deflate", promisify(inflate)],
  ["br", promisify(brotliDecompress)],
]);

/** Formats of the search cluster that are not text. */
const BINARY_TYPE = /^\s*application\/(?:cbor|smile|vnd\.opensearch\+(?:cbor|smile)|octet-stream)\b/i;

/** The byte order mark of UTF-8, which may stand before JSON. Parsers of the search cluster skip it. */
const MARK = Buffer.from("\ufeff");

/**
 * Returns the bytes of a request's body, with its content encoding decoded and without a byte order mark. Requires text to
 * be valid Unicode: invalid characters would be stored as replacement characters, so that two ids could become one.
 *
 * Throws `payload_too_large` above {@link MAX_BODY_BYTES}, encoded or not; `unsupported_media_type` for an unknown
 * encoding; `invalid_request` for a damaged encoding and for invalid text.
 */
export async function readBody(event: ProxyEvent, splitHint = "Send less at a time."): Promise<Buffer> {
  const encoded = Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8");
  if (encoded.length > MAX_BODY_BYTES) throw tooLarge(`has ${encoded.length} bytes`, splitHint);
  const bytes = await decode(encoded, headerOf(event, "content-encoding"), splitHint);
  if (BINARY_TYPE.test(headerOf(event, "content-type") ?? "")) return bytes;
  requireUnicode(bytes);
  return bytes.subarray(0, MARK.length).equals(MARK) ? bytes.subarray(MARK.length) : bytes;
}

async function decode(encoded: Buffer, header = "identity", splitHint: string): Promise<Buffer> {
  const encoding = header.trim().toLowerCase();
  if (encoding === "identity" || encoding === "" || encoded.length === 0) return encoded;
  const decoder = DECODERS.get(encoding);
  if (!decoder) {
    const supported = "gzip, deflate, br";
    throw new ApiError(
      "unsupported_media_type",
      `The content encoding ${JSON.stringify(header.slice(0, 100))} is not supported; use ${supported} or none.`,
      { headers: { "accept-encoding": supported } },
    );
  }
  try {
    return await decoder(encoded, { maxOutputLength: MAX_BODY_BYTES });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === "ERR_BUFFER_TOO_LARGE") throw tooLarge("is larger once decoded", splitHint);
    throw new ApiError("invalid_request", `The body is not valid ${encoding}: ${message}.`, { cause });
  }
}

const tooLarge = (how: string, splitHint: string) =>
  new ApiError(
    "payload_too_large",
    `The body ${how}, at most ${MAX_BODY_BYTES} are accepted. ${splitHint} Nothing has been written.`,
  );

function requireUnicode(bytes: Buffer): void {
  if (!isUtf8(bytes)) throw new ApiError("invalid_request", "The body is not valid UTF-8.");
  // Few bodies contain the escape of a surrogate, so few are scanned. A byte is found faster than a text.
  if (!bytes.includes(BACKSLASH) || (!bytes.includes("\\ud") && !bytes.includes("\\uD"))) return;
  // Escapes are ASCII, so latin1 suffices, and it keeps byte positions.
  for (const { index, groups } of bytes.toString("latin1").matchAll(ESCAPE)) {
    if (groups?.lone === undefined) continue;
    throw new ApiError(
      "invalid_request",
      `The body holds \\${groups.lone} at byte ${index}, half of a surrogate pair, which is not a character.`,
    );
  }
}

/** One escape of a JSON string; `lone` is an unpaired surrogate. Matches in linear time: each match is a new escape. */
const ESCAPE = /\\(?:ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|(?<lone>ud[89a-f][\da-f]{2})|[\s\S])/gi;

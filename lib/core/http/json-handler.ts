import middy from "@middy/core";
import httpErrorHandler from "@middy/http-error-handler";
import httpJsonBodyParser from "@middy/http-json-body-parser";
import type { GenericSchema, InferOutput } from "valibot";
import { ApiError } from "./error.ts";
import { bodyBytes, callOf, headerOf, type JsonCall, type ProxyEvent, type ProxyHandler, type Reply } from "./event.ts";
import { MAX_BODY_BYTES } from "./limits.ts";
import { type ApiOptions, errorShape, responses } from "./middleware.ts";
import { validate } from "./validate.ts";

export interface JsonHandlerOptions<Schema extends GenericSchema> {
  api: ApiOptions;
  schema: Schema;
  /** Told to a caller whose body is over the limit: how to send less. */
  splitHint?: string;
  handle: (call: JsonCall<InferOutput<Schema>>) => Promise<Reply>;
}

/** The handler of one endpoint with a JSON body: size, content type, syntax and schema are checked before `handle`. */
export function jsonHandler<Schema extends GenericSchema>(options: JsonHandlerOptions<Schema>): ProxyHandler {
  const { api, schema, splitHint, handle } = options;
  const texts = new WeakMap<ProxyEvent, string>();
  return (
    middy({ timeoutEarlyInMillis: 0 })
      .use(responses(api))
      .use(httpErrorHandler({ logger: false }))
      .use(errorShape(api))
      .before(({ event }) => {
        const text = bodyText(event as ProxyEvent, splitHint);
        texts.set(event as ProxyEvent, text);
        Object.assign(event as ProxyEvent, { body: text, isBase64Encoded: false });
      })
      .before((request) => parseBody(request as ParserRequest))
      // The event's body is parsed by now; its type still says string.
      .handler(async (event: unknown, context) => {
        const { body } = event as { body: unknown };
        const text = texts.get(event as ProxyEvent) ?? "";
        return handle({ ...callOf(event as ProxyEvent, context), body: validate(schema, body), text });
      }) as unknown as ProxyHandler
  );
}

/**
 * Middy's parser reads with a reviver, which refuses some keys: 25 ms a megabyte of numbers, and a bulk request is mostly
 * numbers when it brings its vectors; 6 µs of the 100 that a search takes. So it reads where such a key may be, up to
 * this size (docs/decisions/0005-parsing.md).
 */
const PARSED_PLAINLY_BYTES = 64 * 1024;

/** Keys that the parser refuses, written as they are or with an escape. Without them it gives what JSON.parse does. */
const MAY_HOLD_REFUSED_KEY = /__proto__|constructor|\\u/;

const JSON_TYPE = /^application\/([a-z0-9.+-]+\+)?json(;|$)/i;

const parser = httpJsonBodyParser({ disableContentTypeCheck: true });
type ParserRequest = Parameters<NonNullable<typeof parser.before>>[0];

function parseBody(request: ParserRequest): unknown {
  const event = request.event as unknown as ProxyEvent;
  const type = headerOf(event, "content-type");
  if (!JSON_TYPE.test(type ?? "")) {
    const given = type?.slice(0, 100) ?? "none";
    throw new ApiError("unsupported_media_type", `The content type must be application/json, got ${given}.`);
  }
  const text = event.body ?? "";
  if (text.length <= PARSED_PLAINLY_BYTES && MAY_HOLD_REFUSED_KEY.test(text)) return parser.before?.(request);
  try {
    Object.assign(event, { body: JSON.parse(text) });
  } catch (cause) {
    throw new ApiError("invalid_request", `The body is not valid JSON: ${(cause as Error).message}`, { cause });
  }
  return undefined;
}

function bodyText(event: ProxyEvent, splitHint = "Send less at a time."): string {
  const bytes = bodyBytes(event);
  if (bytes.length > MAX_BODY_BYTES) {
    throw new ApiError(
      "payload_too_large",
      `The body has ${bytes.length} bytes, at most ${MAX_BODY_BYTES} are accepted. ${splitHint} Nothing has been written.`,
    );
  }
  if (bytes.length === 0) throw new ApiError("invalid_request", "The request has no body; send a JSON object.");
  return bytes.toString("utf8");
}

import middy from "@middy/core";
import httpErrorHandler from "@middy/http-error-handler";
import httpJsonBodyParser from "@middy/http-json-body-parser";
import type { GenericSchema, InferOutput } from "valibot";
import { ApiError } from "./error.ts";
import { bodyBytes, callOf, type JsonCall, type ProxyEvent, type ProxyHandler, type Reply } from "./event.ts";
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
 * Middy's parser reads with a reviver, 25 ms a megabyte of numbers; a bulk request is mostly numbers when it brings its
 * vectors. Above this size the body is parsed without (docs/decisions/0005-parsing.md).
 */
const PARSED_PLAINLY_BYTES = 64 * 1024;
const JSON_TYPE = /^application\/([a-z0-9.+-]+\+)?json(;|$)/i;

const parser = httpJsonBodyParser();
type ParserRequest = Parameters<NonNullable<typeof parser.before>>[0];

function parseBody(request: ParserRequest): unknown {
  const event = request.event as unknown as ProxyEvent;
  const { headers, body } = event;
  const type = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === "content-type")?.[1];
  if ((body ?? "").length <= PARSED_PLAINLY_BYTES || !JSON_TYPE.test(type ?? "")) return parser.before?.(request);
  try {
    Object.assign(event, { body: JSON.parse(body ?? "") });
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

import { isUtf8 } from "node:buffer";
import { inspect, promisify } from "node:util";
import { gzip } from "node:zlib";
import middy, { type MiddlewareObj } from "@middy/core";
import httpErrorHandler from "@middy/http-error-handler";
import { countLine } from "../telemetry/emf.ts";
import type { Access } from "./access.ts";
import { ApiError, type ErrorCode } from "./error.ts";
import {
  type Call,
  callOf,
  headerOf,
  type ProxyEvent,
  type ProxyHandler,
  type ProxyResult,
  type Reply,
  requestIdOf,
} from "./event.ts";

/** Options of all endpoints of one API. */
export interface ApiOptions {
  /** Origins that browsers may call from; `*` is any. */
  cors?: { allow_origins: readonly string[] } | undefined;
  /** Tells who calls and what they may do. */
  access: Access;
  /** Whether errors also have the members that the OpenSearch clients print. */
  nativeErrors?: boolean;
  /** Writes one line of JSON to the function's log. */
  log: (line: string) => void;
  /** project_name, a dimension of the metrics. */
  project: string;
}

/** Returns the handler of an endpoint that reads no body, with the error shape and headers of all endpoints. */
export function plainHandler(api: ApiOptions, handle: (event: ProxyEvent, call: Call) => Promise<Reply>): ProxyHandler {
  return middy({ timeoutEarlyInMillis: 0 })
    .use(responses(api))
    .use(httpErrorHandler({ logger: false }))
    .use(errorShape(api))
    .handler(async (event: unknown, context) => {
      const caller = await api.access.callerOf(event as ProxyEvent);
      return handle(event as ProxyEvent, callOf(event as ProxyEvent, context, caller));
    }) as unknown as ProxyHandler;
}

const JSON_TYPE = "application/json; charset=utf-8";

/** Name of the metric that counts answers that are not the caller's fault, by `Project` and `Code`. */
const FAULTS = "Faults";

/** Name of the metric that counts refused calls by `Project` and `Key`, the name of the caller's key. */
const REFUSED = "Refused";

async function nameOfCaller(access: Access, event: ProxyEvent): Promise<string> {
  try {
    return (await access.callerOf(event)).name;
  } catch {
    return "unknown";
  }
}

/** Counts an answer that is not the caller's fault. */
export function countFault({ log, project }: Pick<ApiOptions, "log" | "project">, code: ErrorCode): void {
  log(countLine({ Project: project, Code: code }, FAULTS));
}

/** Turns a reply or an error answer into the proxy result. It is the first of the stack, so it runs last. */
function responses({ cors }: ApiOptions): MiddlewareObj {
  const common = (event: ProxyEvent, requestId: string) => ({
    "x-request-id": requestId,
    ...corsHeaders(cors, event),
  });
  return {
    after: async (request) => {
      const event = request.event as ProxyEvent;
      const result = await finish(request.response as unknown as Reply, headerOf(event, "accept-encoding"));
      const requestId = requestIdOf(event, request.context);
      request.response = { ...result, headers: { ...result.headers, ...common(event, requestId) } };
    },
    onError: (request) => {
      const { statusCode, body, headers } = request.response as ProxyResult;
      const event = request.event as ProxyEvent;
      request.response = {
        statusCode,
        headers: {
          ...lowerCase(headers),
          "content-type": JSON_TYPE,
          ...common(event, requestIdOf(event, request.context)),
        },
        body,
        isBase64Encoded: false,
      };
    },
  };
}

/** Gives errors the common form, and logs faults with their causes. Last of the stack, so it sees errors first. */
function errorShape(api: ApiOptions): MiddlewareObj {
  const { access, nativeErrors = false } = api;
  return {
    onError: async (request) => {
      const event = request.event as ProxyEvent;
      const requestId = requestIdOf(event, request.context);
      const caller = await nameOfCaller(access, event);
      const error = reportedError(api, request.error, requestId, () => caller);
      const { statusCode, headers } = error;
      const shown = Object.assign(new Error(error.body(requestId, { native: nativeErrors })), {
        statusCode,
        headers,
        expose: true,
      });
      request.error = shown;
    },
  };
}

/** Returns the error that a caller sees for anything thrown, after logging faults and counting faults and refused calls. */
export function reportedError(
  { log, project }: Pick<ApiOptions, "log" | "project">,
  thrown: unknown,
  requestId: string,
  nameOfKey: () => string,
): ApiError {
  const error = apiErrorOf(thrown);
  if (error.statusCode >= 500) log(JSON.stringify(logEntry(error, requestId)));
  if (error.statusCode >= 500 || error.code === "throttled") countFault({ log, project }, error.code);
  if (error.code === "forbidden") log(countLine({ Project: project, Key: nameOfKey() }, REFUSED));
  return error;
}

/** Returns an ApiError unchanged. Anything else is a bug, and the answer reveals nothing about it. */
function apiErrorOf(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError("internal", "Something went wrong in the gateway; use the request id to find it in the log.", {
    cause: error,
  });
}

/** Describes a fault. `causes` may repeat what users search for, `cause_types` never does. */
function logEntry({ code, message, cause }: ApiError, requestId: string): object {
  const causes = causesOf(cause);
  const isBug = code === "internal";
  return {
    level: "error",
    request_id: requestId,
    code,
    message,
    cause_types: causes.map((one) => typeOf(one, isBug)),
    causes: causes.map((one) => describe(one, isBug).slice(0, MAX_CAUSE_CHARACTERS)),
  };
}

const MAX_CAUSES = 8;
const MAX_CAUSE_CHARACTERS = 4_000;

/** Returns a cause and the causes behind it, outermost first. */
function causesOf(cause: unknown): unknown[] {
  const found: unknown[] = [];
  const add = (one: unknown): void => {
    if (one === undefined || found.length === MAX_CAUSES) return;
    if (Array.isArray(one)) {
      for (const each of one) add(each);
      return;
    }
    found.push(one);
    if (one instanceof AggregateError) add(one.errors);
    if (one instanceof Error) add(one.cause);
  };
  add(cause);
  return found;
}

/** Returns the name of an error, with the places of its stack if it is a bug, or the type of another cause. */
function typeOf(cause: unknown, withStack: boolean): string {
  if (!(cause instanceof Error)) return typeof cause;
  const places = withStack ? (cause.stack?.match(/^ {4}at .+$/gm) ?? []) : [];
  return [cause.name, ...places].join("\n").slice(0, MAX_CAUSE_CHARACTERS);
}

function describe(cause: unknown, withStack: boolean): string {
  if (cause instanceof Error) return withStack && cause.stack ? cause.stack : `${cause.name}: ${cause.message}`;
  return typeof cause === "string" ? cause : inspect(cause, { depth: 3, breakLength: Number.POSITIVE_INFINITY });
}

function corsHeaders(cors: ApiOptions["cors"], event: ProxyEvent): Record<string, string> {
  if (!cors) return {};
  const origin = headerOf(event, "origin");
  if (origin === undefined) return {};
  const any = cors.allow_origins.includes("*");
  if (!any && !cors.allow_origins.includes(origin)) return {};
  return {
    "access-control-allow-origin": any ? "*" : origin,
    "access-control-expose-headers": "x-request-id, x-query-id, x-degraded, retry-after",
    ...(!any && { vary: "origin" }),
  };
}

function lowerCase(headers: ProxyResult["headers"]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]));
}

/** The largest proxy result, serialized as JSON, of a synchronous Lambda call, in bytes. Source: Lambda quotas. */
export const MAX_RESULT_BYTES = 6_291_456;

/** The size in bytes above which answers are compressed for callers that accept gzip. */
const GZIP_ABOVE_BYTES = 1024 * 1024;

const compress = promisify(gzip);

/** A body of this many bytes fits, even if each of them is escaped by a backslash: quotes, backslashes and line ends. */
const SURELY_FITS_BYTES = 3_000_000;

/** Control characters, of which an escape has six characters. No JSON contains them, and texts of ours are JSON. */
const LONG_ESCAPE = /[^ -\uffff\b\t\n\f\r]/;

/**
 * Returns the proxy result of a reply: compressed when it is long and the caller accepts gzip, in base64 when its bytes
 * are not text. Throws `response_too_large` when its serialized form would pass Lambda's limit.
 */
async function finish(reply: Reply, acceptEncoding: string | undefined): Promise<ProxyResult> {
  const headers: Record<string, string> = { "content-type": JSON_TYPE, ...reply.headers };
  const bytes = typeof reply.body === "string" ? Buffer.byteLength(reply.body) : reply.body.length;
  if (bytes > GZIP_ABOVE_BYTES && acceptsGzip(acceptEncoding) && headers["content-encoding"] === undefined) {
    headers["content-encoding"] = "gzip";
    headers.vary = "accept-encoding";
    return inBase64(reply.status, headers, await compress(reply.body));
  }
  if (typeof reply.body !== "string" && !isText(reply.body, headers)) {
    return inBase64(reply.status, headers, reply.body);
  }
  const result = { statusCode: reply.status, headers, body: reply.body.toString(), isBase64Encoded: false };
  const doubles = typeof reply.body === "string" || bytes <= SURELY_FITS_BYTES / 3 || !LONG_ESCAPE.test(result.body);
  const fits = bytes <= SURELY_FITS_BYTES && doubles;
  return fits ? result : fitting(result, Buffer.byteLength(JSON.stringify(result)));
}

function inBase64(statusCode: number, headers: Record<string, string>, bytes: Buffer): ProxyResult {
  const result = { statusCode, headers, body: "", isBase64Encoded: true };
  // Nothing in base64 is escaped.
  const size = Buffer.byteLength(JSON.stringify(result)) + Math.ceil(bytes.length / 3) * 4;
  return { ...fitting(result, size), body: bytes.toString("base64") };
}

/** Returns the result if Lambda can return its serialized size. */
function fitting(result: ProxyResult, size: number): ProxyResult {
  if (size <= MAX_RESULT_BYTES) return result;
  throw new ApiError(
    "response_too_large",
    `The request was executed, but its answer would take ${size} bytes; at most ${MAX_RESULT_BYTES} can be returned. ` +
      "Ask for less at a time, or send accept-encoding: gzip.",
    { cause: `a result of ${size} bytes` },
  );
}

function isText(bytes: Buffer, headers: Record<string, string>): boolean {
  return headers["content-encoding"] === undefined && isUtf8(bytes);
}

/** Whether a caller reads compressed answers, by its header accept-encoding. */
export function acceptsGzip(header: string | undefined): boolean {
  return (header ?? "").split(",").some((part) => {
    const [name, quality = "q=1"] = part.split(";").map((piece) => piece.trim());
    return (name === "gzip" || name === "*") && Number(quality.slice("q=".length)) > 0;
  });
}

import { inspect } from "node:util";
import type { MiddlewareObj } from "@middy/core";
import { countLine } from "../telemetry/emf.ts";
import type { Access } from "./access.ts";
import { ApiError, type ErrorCode } from "./error.ts";
import { headerOf, type ProxyEvent, type ProxyResult, type Reply, requestIdOf } from "./event.ts";
import { finish } from "./finish.ts";

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

/** Name of the metric that counts answers that are not the caller's fault, by `Project` and `Code`. */
const FAULTS = "Faults";

/** Name of the metric that counts refused calls by `Project` and `Key`, the name of the caller's key. */
const REFUSED = "Refused";

function nameOfCaller(access: Access, event: ProxyEvent): string {
  try {
    return access.callerOf(event).name;
  } catch {
    return "unknown";
  }
}

/** Counts an answer that is not the caller's fault. */
export function countFault({ log, project }: Pick<ApiOptions, "log" | "project">, code: ErrorCode): void {
  log(countLine({ Project: project, Code: code }, FAULTS));
}

/** Turns a reply or an error answer into the proxy result. It is the first of the stack, so it runs last. */
export function responses({ cors }: ApiOptions): MiddlewareObj {
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
          "content-type": "application/json; charset=utf-8",
          ...common(event, requestIdOf(event, request.context)),
        },
        body,
        isBase64Encoded: false,
      };
    },
  };
}

/** Gives errors the common form, and logs faults with their causes. Last of the stack, so it sees errors first. */
export function errorShape({ log, project, access, nativeErrors = false }: ApiOptions): MiddlewareObj {
  return {
    onError: (request) => {
      const requestId = requestIdOf(request.event as ProxyEvent, request.context);
      const error = apiErrorOf(request.error);
      if (error.statusCode >= 500) log(JSON.stringify(logEntry(error, requestId)));
      if (error.statusCode >= 500 || error.code === "throttled") countFault({ log, project }, error.code);
      if (error.code === "forbidden") {
        const Key = nameOfCaller(access, request.event as ProxyEvent);
        log(countLine({ Project: project, Key }, REFUSED));
      }
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

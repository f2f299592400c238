import { methodsOf, preflight } from "@relevance/lib/infrastructure/preflight.ts";
import { ApiError } from "@relevance/lib/platform/http/error.ts";
import type { ProxyHandler } from "@relevance/lib/platform/http/event.ts";
import type { Route } from "@relevance/lib/platform/http/route.ts";
import type { Context } from "aws-lambda";
import type { Mock } from "./mock.ts";
import { createMatcher, type Match } from "./resources.ts";
import { createUsage, type UsagePlan } from "./usage.ts";

/** An API key with an id and limits of its own. */
export interface CallerKey {
  id: string;
  value: string;
  usage: UsagePlan;
}

/** One API: its routes and the function behind all of them. */
export interface ApiService {
  /** First part of the path, without slashes. A service without one gets all paths that no other service has. */
  basePath?: string;
  routes: readonly Route[];
  handler: ProxyHandler;
  /** The accepted API keys. Keys without an id get `key-1` and so on, and the limits of `usage`. */
  keys: readonly (string | CallerKey)[];
  usage?: UsagePlan;
  /**
   * Returns the mock integration for OPTIONS on a resource. Absent if the function answers OPTIONS, to callers with a
   * key.
   */
  options?: ((resource: string) => Mock | undefined) | undefined;
  /** Origins that may read API Gateway's own error responses. */
  origins?: readonly string[] | undefined;
}

/** A service in the form that the server uses. */
export interface MountedService {
  stage: string;
  handler: ProxyHandler;
  match: (path: string) => Match | undefined;
  /** Returns the id of the key: `key-1` for the first of `keys`. Throws `forbidden` or `throttled`. */
  admit: (key: string | undefined) => string;
  options: (resource: string) => Mock | undefined;
  /** Returns the CORS headers of an error response, without which a browser hides it from the page. */
  cors: (origin: string | undefined) => [name: string, value: string][];
}

export function mount(service: ApiService): MountedService {
  const callers = new Map(
    service.keys.map((key, index) => {
      const {
        value,
        id,
        usage = {},
      } = typeof key === "string" ? { value: key, id: `key-${index + 1}`, usage: service.usage } : key;
      return [value, { id, use: createUsage(usage) }];
    }),
  );
  return {
    stage: service.basePath ?? "",
    handler: service.handler,
    match: createMatcher(service.routes),
    options: service.options ?? (() => undefined),
    cors: (origin) => corsOf(service.origins, origin),
    admit(key) {
      const caller = key === undefined ? undefined : callers.get(key);
      if (key === undefined || caller === undefined) {
        throw new ApiError("forbidden", "The API key is missing or wrong; send it in the header x-api-key.");
      }
      caller.use(key);
      return caller.id;
    },
  };
}

/** Echoes the caller's origin if there are several, as `stacks/constructs/api-body.ts` configures API Gateway. */
function corsOf([only, another]: readonly string[] = [], origin: string | undefined): [name: string, value: string][] {
  const value = another === undefined ? only : origin;
  if (value === undefined) return [];
  return [
    ["access-control-allow-origin", value],
    ["access-control-expose-headers", "x-request-id, retry-after"],
    ...(another === undefined ? [] : [["vary", "origin"] satisfies [string, string]]),
  ];
}

/** Returns the service of a path, and the path below its base path. */
export function findService(
  services: readonly MountedService[],
  path: string,
): { service: MountedService; path: string } | undefined {
  for (const service of services) {
    const prefix = `/${service.stage}`;
    if (service.stage === "") return { service, path };
    if (path === prefix) return { service, path: "/" };
    if (path.startsWith(`${prefix}/`)) return { service, path: path.slice(prefix.length) };
  }
  return undefined;
}

/** Creates the Lambda context of one call, with a request ID and the time left until the function's timeout. */
export function createContext(requestId: string, timeoutMs: number): Context {
  const end = performance.now() + timeoutMs;
  return {
    awsRequestId: requestId,
    callbackWaitsForEmptyEventLoop: false,
    functionName: "local",
    functionVersion: "1",
    invokedFunctionArn: "arn:aws:lambda:local:123456789012:function:local:live",
    logGroupName: "/aws/lambda/local",
    logStreamName: "local",
    memoryLimitInMB: "1024",
    getRemainingTimeInMillis: () => Math.max(0, Math.floor(end - performance.now())),
    done: () => undefined,
    fail: () => undefined,
    succeed: () => undefined,
  };
}

/** Returns the handler for OPTIONS of a service with `cors`, to callers with API keys; undefined without `cors`. */
export function preflights(
  routes: readonly Route[],
  cors: { allow_origins: readonly string[] } | undefined,
): ApiService["options"] {
  if (cors === undefined) return undefined;
  const base = { allowOrigins: cors.allow_origins, credentialHeaders: ["x-api-key"] };
  return (path) => preflight({ ...base, methods: methodsOf(routes, path) })["x-amazon-apigateway-integration"];
}

import type { Context } from "aws-lambda";
import { ApiError } from "../../lib/core/http/error.ts";
import type { ProxyHandler } from "../../lib/core/http/event.ts";
import type { Route } from "../../lib/core/http/route.ts";
import { createMatcher, type Match } from "./resources.ts";
import { createUsage, type UsagePlan } from "./usage.ts";

/** One API: its routes and the function behind all of them. */
export interface ApiService {
  /** First part of the path, without slashes; the service without one gets what the others do not. */
  basePath?: string;
  routes: readonly Route[];
  handler: ProxyHandler;
  /** API keys that are accepted. */
  keys: readonly string[];
  usage?: UsagePlan;
}

/** A service as the server uses it. */
export interface MountedService {
  stage: string;
  handler: ProxyHandler;
  match: (path: string) => Match | undefined;
  /** Throws `forbidden` or `throttled`. */
  admit: (method: string, key: string | undefined) => void;
}

export function mount(service: ApiService): MountedService {
  const keys = new Set(service.keys);
  const use = service.usage && createUsage(service.usage);
  return {
    stage: service.basePath ?? "",
    handler: service.handler,
    match: createMatcher(service.routes),
    admit(method, key) {
      // A browser's preflight carries no key.
      if (method === "OPTIONS") return;
      if (key === undefined || !keys.has(key)) {
        throw new ApiError("forbidden", "The API key is missing or wrong; send it in the header x-api-key.");
      }
      use?.(key);
    },
  };
}

/** The service of a path, and the path below its base path. */
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

/** The Lambda context of one call: the time left of the function's timeout, and a request id. */
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

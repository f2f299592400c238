import { OPEN } from "../../../../lib/platform/http/access.ts";
import type { ProxyEvent, ProxyHandler, ProxyResult, Reply } from "../../../../lib/platform/http/event.ts";
import { plainHandler } from "../../../../lib/platform/http/middleware.ts";

/** Lines logged by handlers. */
export const logged: string[] = [];
export const api = {
  log: (line: string) => logged.push(line),
  cors: { allow_origins: ["https://a.example"] },
  project: "shop",
  access: OPEN,
};

const event = (overrides: object = {}) =>
  ({
    httpMethod: "POST",
    path: "/x",
    headers: { "Content-Type": "application/json" },
    body: "{}",
    isBase64Encoded: false,
    requestContext: { requestId: "r-1" },
    ...overrides,
  }) as unknown as ProxyEvent;
/** Calls a handler that has one second left, or as long as given. */
export const call = (handler: ProxyHandler, overrides?: object, remaining = () => 1_000) =>
  handler(event(overrides), { getRemainingTimeInMillis: remaining } as never);
export const header = (result: ProxyResult, name: string) => result.headers?.[name];

export const replying = (reply: Reply) => plainHandler(api, async () => reply);
export const failing = (error: unknown) => plainHandler(api, () => Promise.reject(error));

import { ConsoleError } from "./problem.ts";
import type { ProxiedService } from "./setup.ts";

/** A service that the console calls with a key that the page never sees. */
export interface Upstream {
  /** How messages call it. */
  name: string;
  url: string;
  key: string;
}

/** An answer that is passed on to the page. */
export interface PassedOn {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/**
 * The calls that the page makes. Only these are passed on: the key may be allowed far more, and whoever controls the page
 * must not delete an index with it.
 */
const GATEWAY_CALLS = [
  /^POST \/application\/search$/,
  /^POST \/application\/hybrid-search$/,
  /^POST \/application\/hybrid-search\/candidates$/,
  /^GET \/raw-backend\/[a-z0-9][a-z0-9._-]*(\/_count)?$/,
];
const RECOMMENDATION_CALLS = [
  /^POST \/recommend-items-to-user$/,
  /^POST \/recommend-items-to-item$/,
  /^POST \/rank-items-to-user$/,
  /^POST \/log-event$/,
];

const PASSED_HEADERS = ["content-type", "server-timing", "x-query-id", "x-degraded", "retry-after"];

/** Longer than API Gateway waits. */
const CALL_MS = 40_000;

/** Returns whether the page may make a call. */
export function isProxied(service: ProxiedService, method: string, path: string): boolean {
  const calls = service === "gateway" ? GATEWAY_CALLS : RECOMMENDATION_CALLS;
  return calls.some((call) => call.test(`${method} ${path}`));
}

/**
 * Forwards a call with the service's key, without the TypeScript client, so that the page gets the unchanged response
 * without retries. Throws ConsoleError if the service does not answer.
 */
export async function passOn(
  { name, url, key }: Upstream,
  method: string,
  path: string,
  body: string,
): Promise<PassedOn> {
  const started = performance.now();
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(`${url}${path}`, {
      method,
      headers: { "x-api-key": key, ...(method === "POST" && { "content-type": "application/json" }) },
      ...(method === "POST" && { body }),
      // A redirect would take the key along.
      redirect: "manual",
      signal: AbortSignal.timeout(CALL_MS),
    });
    text = await answer.text();
  } catch (error) {
    const cause = (error as Error).cause ?? error;
    const reason = (cause as NodeJS.ErrnoException).code ?? (cause as Error).message;
    throw new ConsoleError(502, "unreachable", `Cannot reach the ${name} at ${new URL(url).origin} (${reason}).`, {
      cause: error,
    });
  }
  const headers: Record<string, string> = { "x-console-milliseconds": (performance.now() - started).toFixed(0) };
  for (const header of PASSED_HEADERS) {
    const value = answer.headers.get(header);
    if (value !== null) headers[header] = value;
  }
  return { status: answer.status, headers, body: text };
}

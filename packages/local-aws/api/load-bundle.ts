import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { pathToFileURL } from "node:url";
import type { ProxyHandler } from "@relevance/lib/platform/http/event.ts";
import { isRequestLogLine, type RequestLogKind } from "@relevance/lib/platform/request-log/kinds.ts";
import { divertLines } from "@relevance/processes/divert-lines.ts";

export interface BundleOptions {
  /** Path of a built function's `index.mjs`. */
  file: string;
  /** The function's environment. During the import, `process.env` contains nothing else. */
  env: Readonly<Record<string, string>>;
  /** Receives each request log line, which then does not go to standard output. */
  onRequestLog?: (line: string) => void;
  /** Kind of the request log lines that the bundle writes; defaults to search. */
  logKind?: RequestLogKind;
}

export interface LoadedBundle {
  handler: ProxyHandler;
  /** Restores standard output. */
  release(): void;
}

/**
 * Imports a built function into this process. Functions read their environment when they are imported, so `process.env`
 * is replaced during the import only. Whatever a function reads later must be in the environment of this process; the
 * AWS SDK, for example, reads endpoint and region. Only credentials are those of `env`, if it has some, whenever the
 * function reads them: several functions in one process have several roles. Each call creates a new instance of the
 * entry file, but its chunks are shared, because Node.js loads a file once. Calls must not overlap.
 */
export async function loadBundle({
  file,
  env,
  onRequestLog,
  logKind = "search",
}: BundleOptions): Promise<LoadedBundle> {
  const own = withOwnCredentials(process.env);
  process.env = { ...env };
  let loaded: { handler?: unknown };
  try {
    loaded = await import(`${pathToFileURL(file).href}?instance=${randomUUID()}`);
  } finally {
    process.env = own;
  }
  if (typeof loaded.handler !== "function") throw new Error(`${file} exports no function "handler"`);
  const release = onRequestLog
    ? divertLines((line) => isRequestLogLine(line, [logKind]), onRequestLog)
    : () => undefined;
  const { handler } = loaded as { handler: ProxyHandler };
  if (!env[KEY]) return { handler, release };
  return { handler: (event, context) => running.run(env, () => handler(event, context)), release };
}

const KEY = "AWS_ACCESS_KEY_ID";
const CREDENTIALS: ReadonlySet<unknown> = new Set([KEY, "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"]);

/** The environment of the function that is currently running. */
const running = new AsyncLocalStorage<Readonly<Record<string, string>>>();
const wrapped = new WeakSet<object>();

/** Returns a proxy of this process's environment, in which a running function has its own credentials. */
function withOwnCredentials(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (wrapped.has(env)) return env;
  const seen = new Proxy(env, {
    get: (target, name) => Reflect.get((CREDENTIALS.has(name) && running.getStore()) || target, name),
    // Node.js refuses the property descriptors that a proxy uses by default.
    set: (target, name, value) => Reflect.set(target, name, value),
  });
  wrapped.add(seen);
  return seen;
}

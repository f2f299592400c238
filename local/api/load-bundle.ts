import { randomUUID } from "node:crypto";
import { pathToFileURL } from "node:url";
import type { ProxyHandler } from "../../lib/core/http/event.ts";
import { tapRequestLog } from "./request-log-tap.ts";

export interface BundleOptions {
  /** Path of a built function's `index.mjs`. */
  file: string;
  /** The function's environment. During the import, `process.env` contains nothing else. */
  env: Readonly<Record<string, string>>;
  /** Receives each request log line, which then does not go to standard output. */
  onRequestLog?: (line: string) => void;
}

export interface LoadedBundle {
  handler: ProxyHandler;
  /** Restores standard output. */
  release(): void;
}

/**
 * Imports a built function into this process. Functions read their environment when they are imported, so `process.env`
 * is replaced during the import only. Whatever a function reads later must be in the environment of this process; the
 * AWS SDK, for example, reads endpoint, region and credentials. Each call creates a new instance of the entry file, but
 * its chunks are shared, because Node.js loads a file once. Calls must not overlap.
 */
export async function loadBundle({ file, env, onRequestLog }: BundleOptions): Promise<LoadedBundle> {
  const own = process.env;
  process.env = { ...env };
  let loaded: { handler?: unknown };
  try {
    loaded = await import(`${pathToFileURL(file).href}?instance=${randomUUID()}`);
  } finally {
    process.env = own;
  }
  if (typeof loaded.handler !== "function") throw new Error(`${file} exports no function "handler"`);
  const release = onRequestLog ? tapRequestLog(onRequestLog) : () => undefined;
  return { handler: loaded.handler as ProxyHandler, release };
}

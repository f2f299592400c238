import { randomUUID } from "node:crypto";
import { pathToFileURL } from "node:url";
import type { ProxyHandler } from "../../lib/core/http/event.ts";
import { tapRequestLog } from "./request-log-tap.ts";

export interface BundleOptions {
  /** `index.mjs` of a built function. */
  file: string;
  /** The function's environment: all that it sees of `process.env` while it is imported. */
  env: Readonly<Record<string, string>>;
  /** Gets each request log line, in place of standard output. */
  onRequestLog?: (line: string) => void;
}

export interface LoadedBundle {
  handler: ProxyHandler;
  /** Gives standard output back. */
  release(): void;
}

/**
 * Imports a built function into this process. Functions read their environment when they are imported, so
 * `process.env` is exchanged for just that time: what a function reads later (the AWS SDK: endpoint, region,
 * credentials) has to be in the environment of this process. Each call is a fresh instance of the entry; its chunks are
 * shared, as Node loads a file once. Calls must not overlap.
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

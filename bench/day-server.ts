/**
 * Serves one function behind the local API server, and reports the memory and descriptors of this process every few
 * seconds: started by bench/day/serving.ts, with the garbage collector exposed.
 */
import { readdirSync, readlinkSync } from "node:fs";
import { routes as searchRoutes } from "../functions/api-router/routes.ts";
import { routes as recommendationRoutes } from "../functions/recommendation-api/routes.ts";
import { loadBundle } from "../local/api/load-bundle.ts";
import { startApi } from "../local/api/start.ts";
import type { Sample, ServingOptions } from "./day/serving.ts";

const SAMPLE_MS = 5_000;

process.once("message", async ({ service, file, env, port, key }: ServingOptions) => {
  const routes = service === "api-router" ? searchRoutes : recommendationRoutes;
  const { handler } = await loadBundle({ file, env, onRequestLog: () => undefined });
  const api = await startApi({ services: [{ routes, handler, keys: [key] }], port, onFunctionError: () => undefined });
  process.send?.({ url: api.url });
  setInterval(() => process.send?.(sample()), SAMPLE_MS);
});
process.on("disconnect", () => process.exit(0));

function sample(): Sample {
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  const descriptors = readdirSync("/proc/self/fd");
  return {
    at: Date.now(),
    rss,
    heapUsed,
    descriptors: descriptors.length,
    sockets: descriptors.filter(isSocket).length,
  };
}

function isSocket(descriptor: string): boolean {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith("socket:");
  } catch {
    // The descriptor of the listing itself is closed by now.
    return false;
  }
}

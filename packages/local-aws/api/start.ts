import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { LocalError } from "@relevance/processes/error.ts";
import { HOST } from "@relevance/processes/ports.ts";
import { serve } from "./exchange.ts";
import { type ApiService, type MountedService, mount } from "./service.ts";

export interface ApiOptions {
  /** The services, or a function that returns the services at a path. */
  services: readonly ApiService[] | ((path: string) => Promise<readonly MountedService[]>);
  /** Default: 0, which chooses a free port. */
  port?: number;
  /** Default: 29 s, as in API Gateway. */
  integrationTimeoutMs?: number;
  /** Default: 28 s, as deployed. */
  functionTimeoutMs?: number;
  /** Called with the error of a failed function, which Lambda would log. Default: writes it to standard error. */
  onFunctionError?: (error: unknown) => void;
}

export interface RunningApi {
  /** Without a trailing slash. */
  url: string;
  /** Stops accepting requests, waits up to `graceMs` (default: 5 s) for those in progress, then closes. Repeatable. */
  stop(graceMs?: number): Promise<void>;
}

/** Serves functions over HTTP like API Gateway and Lambda. Throws LocalError if the port is taken. */
export async function startApi(options: ApiOptions): Promise<RunningApi> {
  const { services } = options;
  const servicesAt = typeof services === "function" ? services : undefined;
  // The service without a base path comes last, because it takes all remaining paths.
  const fixed =
    typeof services === "function" ? [] : services.map(mount).sort((a, b) => b.stage.length - a.stage.length);
  let stopped: Promise<void> | undefined;
  const limits = {
    integrationTimeoutMs: options.integrationTimeoutMs ?? 29_000,
    functionTimeoutMs: options.functionTimeoutMs ?? 28_000,
    onFunctionError: options.onFunctionError ?? ((error: unknown) => console.error(error)),
    stopping: () => stopped !== undefined,
  };
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    if (!servicesAt) return serve(request, response, fixed, limits);
    servicesAt(request.url ?? "/").then(
      (found) => serve(request, response, found, limits),
      (error: unknown) => {
        limits.onFunctionError(error);
        serve(request, response, [], limits);
      },
    );
  });
  await listen(server, options.port ?? 0);

  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    stop(graceMs = 5_000) {
      stopped ??= close(server, graceMs);
      return stopped;
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const taken = `port ${port} is taken by another program: stop it, or choose another port with PORT=`;
      reject(error.code === "EADDRINUSE" ? new LocalError(taken, { cause: error }) : error);
    });
    server.listen({ port, host: HOST, exclusive: true }, resolve);
  });
}

function close(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}

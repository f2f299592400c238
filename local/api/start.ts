import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { LocalError } from "../process/error.ts";
import { HOST } from "../process/ports.ts";
import { serve } from "./exchange.ts";
import { type ApiService, mount } from "./service.ts";

export interface ApiOptions {
  services: readonly ApiService[];
  /** Default 0: a free one. */
  port?: number;
  /** Default loopback. */
  host?: string;
  /** Default 29 s, API Gateway's own. */
  integrationTimeoutMs?: number;
  /** Default 28 s, as the functions are deployed. */
  functionTimeoutMs?: number;
  /** Told about a function that threw, which Lambda would write to its log; default standard error. */
  onFunctionError?: (error: unknown) => void;
}

export interface RunningApi {
  /** Without a slash at the end. */
  url: string;
  /** Takes no new request, waits for those in flight (at most `graceMs`, default 5 s), closes. Repeatable. */
  stop(graceMs?: number): Promise<void>;
}

/** Serves functions over HTTP as API Gateway and Lambda would. Throws LocalError when the port is taken. */
export async function startApi(options: ApiOptions): Promise<RunningApi> {
  // The service without a base path comes last: it takes what is left.
  const services = options.services.map(mount).sort((a, b) => b.stage.length - a.stage.length);
  let stopped: Promise<void> | undefined;
  const limits = {
    integrationTimeoutMs: options.integrationTimeoutMs ?? 29_000,
    functionTimeoutMs: options.functionTimeoutMs ?? 28_000,
    onFunctionError: options.onFunctionError ?? ((error: unknown) => console.error(error)),
    stopping: () => stopped !== undefined,
  };
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    serve(request, response, services, limits);
  });
  await listen(server, options.port ?? 0, options.host ?? HOST);

  return {
    url: `http://${options.host ?? HOST}:${(server.address() as AddressInfo).port}`,
    stop(graceMs = 5_000) {
      stopped ??= close(server, graceMs);
      return stopped;
    },
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const taken = `port ${port} is taken by another program: stop it, or choose another port with PORT=`;
      reject(error.code === "EADDRINUSE" ? new LocalError(taken, { cause: error }) : error);
    });
    server.listen({ port, host, exclusive: true }, resolve);
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

import { createServer, type Server } from "node:net";
import { LocalError } from "./error.ts";

/** The only address on which local servers listen. */
export const HOST = "127.0.0.1";

function listen(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ port, host: HOST, exclusive: true }, () => resolve(server));
  });
}

const close = (server: Server) => new Promise<void>((resolve) => server.close(() => resolve()));

/**
 * Range below the ports for outgoing connections (Linux: 32,768 and up), so that these do not take a port before a
 * server does.
 */
const [LOWEST, HIGHEST] = [12_000, 32_000];

/** Returns `count` neighbouring ports of the loopback address that are free. */
export async function freePorts(count: number): Promise<number[]> {
  for (let tries = 0; tries < 50; tries += 1) {
    const first = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST - count));
    const ports = Array.from({ length: count }, (_, index) => first + index);
    const outcomes = await Promise.allSettled(ports.map((port) => requireFreePort(port, "a server")));
    if (outcomes.every(({ status }) => status === "fulfilled")) return ports;
  }
  throw new LocalError(`no ${count} neighbouring ports from ${LOWEST} to ${HIGHEST} are free: stop other servers`);
}

/** Returns one free port of the loopback address. */
export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  if (port === undefined) throw new Error("no port");
  return port;
}

/** Throws LocalError if the port cannot be used. The message names `purpose`. */
export async function requireFreePort(port: number, purpose: string): Promise<void> {
  try {
    await close(await listen(port));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === "EADDRINUSE" ? "is taken by another program" : `cannot be used (${code})`;
    throw new LocalError(`port ${port} for ${purpose} ${why}: stop that program or choose another port`, {
      cause: error,
    });
  }
}

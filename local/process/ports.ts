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

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error(`not a TCP address: ${address}`);
  return address.port;
}

/** Returns `count` different free ports of the loopback address. Another program may take one before you use it. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => listen(0)));
  const ports = servers.map(portOf);
  await Promise.all(servers.map(close));
  return ports;
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

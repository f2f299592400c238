import {
  createServer as createHttp1Server,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { createServer as createHttp2Server, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import { createServer, type Socket } from "node:net";
import { HOST, requireFreePort } from "@relevance/processes/ports.ts";

export type Request = IncomingMessage | Http2ServerRequest;
export type Response = ServerResponse | Http2ServerResponse;

export interface Listener {
  url: string;
  close(): Promise<void>;
}

/** The first bytes of an HTTP/2 client with prior knowledge. No HTTP/1 request begins with "PRI". */
const HTTP2_PREFACE = Buffer.from("PRI * HTTP/2.0");

/**
 * Listens on one port for HTTP/1.1 and for HTTP/2 without TLS, which the SDK's Bedrock runtime client uses by default.
 * Does not keep the process alive. Throws LocalError if the port is taken.
 */
export async function listen(
  port: number | undefined,
  handle: (request: Request, response: Response) => void,
): Promise<Listener> {
  if (port !== undefined) await requireFreePort(port, "the local AWS endpoint");
  const http1 = createHttp1Server(handle);
  // Longer than clients keep idle connections: a client fails if the server closes a connection during its request.
  http1.keepAliveTimeout = 120_000;
  const http2 = createHttp2Server(handle);
  const sockets = new Set<Socket>();

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    socket.unref();
    socket.setNoDelay(true);
    // Not "data": a socket in flowing mode can no longer be handed over to HTTP/2.
    socket.once("readable", () => {
      const first: Buffer | null = socket.read();
      if (first === null) return socket.destroy();
      socket.unshift(first);
      const isHttp2 = first.subarray(0, 3).equals(HTTP2_PREFACE.subarray(0, 3));
      (isHttp2 ? http2 : http1).emit("connection", socket);
    });
  });
  const bound = await new Promise<number>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port: port ?? 0, host: HOST }, () => {
      const address = server.address();
      if (address === null || typeof address === "string") reject(new Error(`not a TCP address: ${address}`));
      else resolve(address.port);
    });
  });
  server.unref();

  return {
    url: `http://${HOST}:${bound}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Returns the headers without those of the connection and without the pseudo-headers of HTTP/2. */
export function messageHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !name.startsWith(":") && !CONNECTION_HEADERS.has(name));
  return Object.fromEntries(
    kept.map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );
}

const CONNECTION_HEADERS = new Set([
  "connection",
  "expect",
  "http2-settings",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

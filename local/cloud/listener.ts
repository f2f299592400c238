import {
  createServer as createHttp1Server,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { createServer as createHttp2Server, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import { createServer, type Socket } from "node:net";
import { HOST, requireFreePort } from "../process/ports.ts";

export type Request = IncomingMessage | Http2ServerRequest;
export type Response = ServerResponse | Http2ServerResponse;

export interface Listener {
  url: string;
  close(): Promise<void>;
}

/** With which an HTTP/2 client that was told so in advance begins; no HTTP/1 request begins with a P, R and I. */
const HTTP2_PREFACE = Buffer.from("PRI * HTTP/2.0");

/**
 * Listens on one port for HTTP/1.1 and for HTTP/2 without TLS, which the SDK's Bedrock runtime client speaks unasked.
 * Does not keep the process alive. Throws LocalError when the port is taken.
 */
export async function listen(
  port: number | undefined,
  handle: (request: Request, response: Response) => void,
): Promise<Listener> {
  if (port !== undefined) await requireFreePort(port, "the local AWS endpoint");
  const http1 = createHttp1Server(handle);
  // Longer than clients keep theirs: a connection that closes under a request is an error to them.
  http1.keepAliveTimeout = 120_000;
  const http2 = createHttp2Server(handle);
  const sockets = new Set<Socket>();

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    socket.unref();
    socket.setNoDelay(true);
    // Not by "data": a socket that flows cannot be handed over to HTTP/2 any more.
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

/** The headers that are about the message: without those of the connection and the pseudo-headers of HTTP/2. */
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

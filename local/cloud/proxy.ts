import { request as httpRequest, type IncomingMessage } from "node:http";
import { pipeline } from "node:stream/promises";
import { messageHeaders, type Request, type Response } from "./listener.ts";

/**
 * Forwards a request to moto and streams the response back. Keeps the caller's Host header, so that URLs in moto's
 * responses (queue URLs, for example) point to the front. Rejects if moto fails before it responds. If it fails later,
 * the caller's connection is closed.
 */
export async function proxy(request: Request, response: Response, motoUrl: string): Promise<void> {
  const { hostname, port } = new URL(motoUrl);
  const headers: Record<string, string> = messageHeaders(request.headers);
  const host = request.headers.host ?? request.headers[":authority"];
  if (typeof host === "string") headers.host = host;
  // `messageHeaders` drops transfer-encoding, so a body of unknown length needs it again for this connection.
  if (headers["content-length"] === undefined && request.headers["transfer-encoding"] !== undefined) {
    headers["transfer-encoding"] = "chunked";
  }

  const upstream = httpRequest({ hostname, port, path: request.url, method: request.method, headers, agent: false });
  response.once("close", () => upstream.destroy());
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    upstream.once("response", resolve);
    upstream.on("error", reject);
  });
  // moto may respond and close the connection before it has read the whole body.
  pipeline(request, upstream).catch(() => {});

  const incoming = await answer;
  response.statusCode = incoming.statusCode ?? 502;
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined && name in messageHeaders({ [name]: value })) response.setHeader(name, value);
  }
  await pipeline(incoming, response).catch(() => response.destroy());
}

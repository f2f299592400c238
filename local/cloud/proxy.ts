import { request as httpRequest, type IncomingMessage } from "node:http";
import { pipeline } from "node:stream/promises";
import { messageHeaders, type Request, type Response } from "./listener.ts";

/**
 * Passes a request on to moto and its answer back, both as streams. The Host header stays the caller's, so that the
 * URLs which moto answers with (of queues, for example) lead to the front again. Rejects when moto cannot be reached
 * before an answer began; when it breaks off later the caller's connection is cut.
 */
export async function proxy(request: Request, response: Response, motoUrl: string): Promise<void> {
  const { hostname, port } = new URL(motoUrl);
  const headers: Record<string, string> = messageHeaders(request.headers);
  const host = request.headers.host ?? request.headers[":authority"];
  if (typeof host === "string") headers.host = host;
  // A body of unknown length has to be announced anew: the header was about the caller's connection.
  if (headers["content-length"] === undefined && request.headers["transfer-encoding"] !== undefined) {
    headers["transfer-encoding"] = "chunked";
  }

  const upstream = httpRequest({ hostname, port, path: request.url, method: request.method, headers, agent: false });
  response.once("close", () => upstream.destroy());
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    upstream.once("response", resolve);
    upstream.on("error", reject);
  });
  // moto may answer, and close, before it has read the whole body.
  pipeline(request, upstream).catch(() => {});

  const incoming = await answer;
  response.statusCode = incoming.statusCode ?? 502;
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined && name in messageHeaders({ [name]: value })) response.setHeader(name, value);
  }
  await pipeline(incoming, response).catch(() => response.destroy());
}

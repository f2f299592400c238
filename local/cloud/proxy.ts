import { request as httpRequest, type IncomingMessage } from "node:http";
import { pipeline } from "node:stream/promises";
import { messageHeaders, type Request, type Response } from "./listener.ts";

/** A call that moto has carried out successfully. */
export interface DoneCall {
  /** The service that the call was signed for. */
  service: string;
  /** The operation in the header X-Amz-Target, as in `PutItem`; undefined in protocols without that header. */
  operation: string | undefined;
  method: string;
  /** Path and query as sent. */
  path: string;
  /** The request's body; empty for S3, whose bodies may be large. */
  body: Buffer;
}

/** Runs before the caller gets the answer. If it fails, so does the call. */
export type AfterCall = (call: DoneCall) => Promise<void>;

/**
 * Forwards a request to moto and streams the response back, after `afterCall` if moto answered 200. Keeps the caller's
 * Host header, so that URLs in moto's responses (queue URLs, for example) point to the front. Rejects if moto fails
 * before it responds. If it fails later, the caller's connection is closed.
 */
export async function proxy(
  request: Request,
  response: Response,
  motoUrl: string,
  { service, afterCall }: { service?: string | undefined; afterCall?: AfterCall | undefined } = {},
): Promise<void> {
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
  const body: Buffer[] = [];
  if (afterCall && service !== "s3") request.on("data", (chunk: Buffer) => body.push(chunk));
  // moto may respond and close the connection before it has read the whole body.
  pipeline(request, upstream).catch(() => {});

  const incoming = await answer;
  if (afterCall && service !== undefined && incoming.statusCode === 200) {
    const [, operation] = String(request.headers["x-amz-target"] ?? "").split(".");
    const { method = "GET", url: path = "/" } = request;
    await afterCall({ service, operation, method, path, body: Buffer.concat(body) });
  }
  response.statusCode = incoming.statusCode ?? 502;
  for (const [name, value] of Object.entries(incoming.headers)) {
    if (value !== undefined && name in messageHeaders({ [name]: value })) response.setHeader(name, value);
  }
  await pipeline(incoming, response).catch(() => response.destroy());
}

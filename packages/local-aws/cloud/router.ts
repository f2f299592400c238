import { Agent, request as httpRequest, type IncomingMessage } from "node:http";
import { pipeline } from "node:stream/promises";
import { LocalError } from "@relevance/processes/error.ts";
import { messageHeaders, type Request, type Response } from "./listener.ts";
import { refusal } from "./permissions.ts";
import type { Control, StandIn, StandInAnswer } from "./stand-in.ts";

/** Services that moto does not implement usefully. A response from moto would be misleading. */
const NOT_IN_MOTO = new Set(["personalize", "sagemaker-runtime", "bedrock-runtime"]);

/** Returns the stand-in of each service. Throws LocalError if two serve the same service. */
export function standInsByService(standIns: readonly StandIn[]): ReadonlyMap<string, StandIn> {
  const byService = new Map<string, StandIn>();
  for (const standIn of standIns) {
    for (const service of standIn.services) {
      if (byService.has(service)) throw new LocalError(`two stand-ins of the local cloud serve ${service}`);
      byService.set(service, standIn);
    }
  }
  return byService;
}

interface RouterOptions {
  standIns: ReadonlyMap<string, StandIn>;
  controls?: readonly Control[];
  /**
   * The URL of moto. Requests wait for it, and moto checks permissions of requests to stand-ins. Without moto, only
   * stand-ins are served, unchecked.
   */
  motoUrl?: Promise<string>;
  afterCall?: AfterCall | undefined;
}

/** Routes each request to the stand-in of the service that it was signed for, or else to moto. */
export function router({
  standIns,
  controls = [],
  motoUrl,
  afterCall,
}: RouterOptions): (request: Request, response: Response) => void {
  const route = async (request: Request, response: Response) => {
    const destination = destinationOf({ url: request.url ?? "/", authorization: request.headers.authorization });
    const standIn = destination && standIns.get(destination.service);
    const control = destination ? undefined : controlOf(controls, request);
    if (control) return send(response, control.handle(await readRequest(request)));
    if (destination && standIn) {
      const sent = { ...(await readRequest(request)), ...destination };
      const refused = motoUrl && (await refusal(await motoUrl, sent, request));
      return send(response, refused ?? (await standIn.handle(sent)));
    }
    if (motoUrl === undefined || (destination && NOT_IN_MOTO.has(destination.service))) {
      return send(response, noStandIn(destination?.service ?? "unsigned requests"));
    }
    await proxy(request, response, await motoUrl, { service: destination?.service, afterCall });
  };
  return (request, response) => {
    route(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else send(response, failure(500, "InternalFailure", `the local cloud: ${describe(error)}`));
    });
  };
}

async function readRequest(request: Request) {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const [path = "/", query = ""] = (request.url ?? "/").split(/\?(.*)/s);
  return {
    method: request.method ?? "GET",
    path,
    query: new URLSearchParams(query),
    headers: messageHeaders(request.headers),
    body: Buffer.concat(chunks),
  };
}

function controlOf(controls: readonly Control[], { url = "/" }: Request): Control | undefined {
  const [path = "/"] = url.split("?");
  return controls.find((control) => path === control.path || path.startsWith(`${control.path}/`));
}

function send(response: Response, { status, headers = {}, body = "" }: StandInAnswer) {
  response.statusCode = status;
  response.setHeader("content-type", "application/json");
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  response.setHeader("content-length", bytes.byteLength);
  response.end(bytes);
}

/** Uses status 501 because the SDKs retry other 5xx statuses. */
const noStandIn = (service: string) =>
  failure(501, "NotImplemented", `this local cloud was started without a stand-in for ${service}`);

/** Builds an error that SDKs can read in every JSON protocol of AWS. */
function failure(status: number, type: string, message: string): StandInAnswer {
  return { status, headers: { "x-amzn-errortype": type }, body: JSON.stringify({ __type: type, message }) };
}

const describe = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** The destination of a request to AWS, as read from its signature. */
interface Destination {
  /** Our name for the service, see `StandIn.services`. */
  service: string;
  region: string;
}

/** The parts of an HTTP request that determine its destination. */
interface RoutedRequest {
  /** Path and query as sent. */
  url: string;
  authorization: string | undefined;
}

/** Runtimes that share their signing name with a control plane: each runtime's paths, by signing name. */
const RUNTIMES: Readonly<Record<string, { path: RegExp; service: string }>> = {
  sagemaker: {
    path: /^\/endpoints\/[^/]+\/(invocations|async-invocations|invocations-response-stream)$/,
    service: "sagemaker-runtime",
  },
  bedrock: { path: /^\/(model|guardrail|async-invoke)(\/|$)/, service: "bedrock-runtime" },
};

/**
 * Returns the service and region that a request was signed for, from its header or, if presigned, from its query.
 * Returns undefined if it has no version 4 signature.
 */
export function destinationOf({ url, authorization }: RoutedRequest): Destination | undefined {
  const { pathname, searchParams } = new URL(url, "http://localhost");
  const credential = /^AWS4-HMAC-SHA256 Credential=([^,\s]+)/.exec(authorization ?? "")?.[1];
  const scope = (credential ?? searchParams.get("X-Amz-Credential") ?? "").split("/");
  // <access key>/<date>/<region>/<service>/aws4_request. The access key may contain a slash.
  const [region, service, end] = scope.slice(-3);
  if (scope.length < 5 || end !== "aws4_request" || !region || !service) return undefined;
  const runtime = RUNTIMES[service];
  return { service: runtime?.path.test(pathname) ? runtime.service : service, region };
}

/** A successful call to moto. */
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

/** Connections to moto stay open: a new one costs moto a thread. */
const agent = new Agent({ keepAlive: true });

/**
 * Forwards a request to moto and streams the response back, after `afterCall` if moto answered 200. Keeps the caller's
 * Host header, so that URLs in moto's responses (queue URLs, for example) point to the front. Rejects if moto fails
 * before it responds. If it fails later, the caller's connection is closed.
 */
async function proxy(
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

  const upstream = httpRequest({ hostname, port, path: request.url, method: request.method, headers, agent });
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

import { LocalError } from "../process/error.ts";
import { messageHeaders, type Request, type Response } from "./listener.ts";
import { refusal } from "./permissions.ts";
import { type AfterCall, proxy } from "./proxy.ts";
import { destinationOf } from "./routing.ts";
import type { Control, StandIn, StandInAnswer } from "./stand-in.ts";

/** Services that moto does not implement usefully. A response from moto would be misleading. */
const NOT_IN_MOTO = new Set(["personalize", "sagemaker-runtime", "bedrock-runtime"]);

/** Returns the stand-in of each service. Throws LocalError if two serve the same one. */
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

export interface RouterOptions {
  standIns: ReadonlyMap<string, StandIn>;
  controls?: readonly Control[];
  /**
   * Requests to moto wait for this, and moto checks those to stand-ins. Without moto, stand-ins alone are served,
   * unchecked.
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

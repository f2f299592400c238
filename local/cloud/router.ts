import { LocalError } from "../process/error.ts";
import { messageHeaders, type Request, type Response } from "./listener.ts";
import { proxy } from "./proxy.ts";
import { type Destination, destinationOf } from "./routing.ts";
import type { Control, StandIn, StandInAnswer } from "./stand-in.ts";

/** Of these moto has nothing that an SDK could use: an answer of its own would mislead. */
const NOT_IN_MOTO = new Set(["personalize", "sagemaker-runtime", "bedrock-runtime"]);

/** The stand-in of each service. Throws LocalError when two want the same. */
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
  /** Requests for moto wait for it. */
  motoUrl: Promise<string>;
}

/** Answers requests to AWS: by the stand-in of the service that they were signed for, else by moto. */
export function router({
  standIns,
  controls = [],
  motoUrl,
}: RouterOptions): (request: Request, response: Response) => void {
  const route = async (request: Request, response: Response) => {
    const destination = destinationOf({ url: request.url ?? "/", authorization: request.headers.authorization });
    const standIn = destination && standIns.get(destination.service);
    const control = destination ? undefined : controlOf(controls, request);
    if (control) return send(response, control.handle(await readRequest(request)));
    if (destination && standIn) return send(response, await ask(standIn, destination, request));
    if (destination && NOT_IN_MOTO.has(destination.service)) return send(response, noStandIn(destination.service));
    await proxy(request, response, await motoUrl);
  };
  return (request, response) => {
    route(request, response).catch((error: unknown) => {
      if (response.headersSent) response.destroy();
      else send(response, failure(500, "InternalFailure", `the local cloud: ${describe(error)}`));
    });
  };
}

async function ask(standIn: StandIn, destination: Destination, request: Request): Promise<StandInAnswer> {
  return standIn.handle({ ...(await readRequest(request)), ...destination });
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

/** Status 501, since SDKs try again after the other statuses of the server's fault. */
const noStandIn = (service: string) =>
  failure(501, "NotImplemented", `this local cloud was started without a stand-in for ${service}`);

/** An error as each of the JSON protocols of AWS has it. */
function failure(status: number, type: string, message: string): StandInAnswer {
  return { status, headers: { "x-amzn-errortype": type }, body: JSON.stringify({ __type: type, message }) };
}

const describe = (error: unknown) => (error instanceof Error ? error.message : String(error));

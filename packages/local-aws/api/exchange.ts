import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { ApiError } from "@relevance/lib/platform/http/error.ts";
import type { ProxyEvent } from "@relevance/lib/platform/http/event.ts";
import { withTimeout } from "@relevance/lib/platform/resilience/deadline.ts";
import { type Answer, answerOf, refusal, send, UNKNOWN } from "./answer.ts";
import { createEvent, type EventParts } from "./event.ts";
import { mockAnswer } from "./mock.ts";
import type { Match } from "./resources.ts";
import { createContext, findService, type MountedService } from "./service.ts";

/** API Gateway's limit for the payload of a request. */
export const MAX_PAYLOAD_BYTES = 10 * 1024 * 1024;
/** Lambda's limit for a serialized synchronous event. */
export const MAX_EVENT_BYTES = 6_291_456;
/** An event with a shorter body always fits, because Node.js accepts at most 16 KB of path and headers. */
const SURELY_FITS_BYTES = 4_500_000;

export interface ExchangeOptions {
  integrationTimeoutMs: number;
  functionTimeoutMs: number;
  onFunctionError: (error: unknown) => void;
  /** Whether the server is stopping. Each connection then closes after its next response. */
  stopping: () => boolean;
}

type Target = Omit<EventParts, "body"> & { service: MountedService };

/** Handles one HTTP request: finds its service, checks the key, reads the body and calls the function. */
export function serve(
  request: IncomingMessage,
  response: ServerResponse,
  services: readonly MountedService[],
  options: ExchangeOptions,
): void {
  const requestId = randomUUID();
  const reply = (answer: Answer) => {
    if (response.headersSent || response.destroyed) return;
    if (options.stopping()) response.shouldKeepAlive = false;
    send(response, answer, { head: request.method === "HEAD", requestId });
  };
  let service: MountedService | undefined;
  const refuse = (error: ApiError) => {
    const { headers, ...answer } = refusal(error, requestId);
    reply({ ...answer, headers: [...headers, ...(service?.cors(request.headers.origin) ?? [])] });
  };

  let target: Target;
  try {
    const found = find(request, services);
    ({ service } = found);
    const mock = request.method === "OPTIONS" ? found.service.options(found.match.resource) : undefined;
    if (mock) {
      const answer = mockAnswer(mock, sentHeaders(request));
      request.resume().on("end", () => reply(answer));
      return;
    }
    target = admit(request, requestId, found);
  } catch (error) {
    // Reads and drops the body first: a client that cannot send all of it may not read the response.
    request.resume().on("end", () => refuse(error as ApiError));
    return;
  }

  let size = 0;
  let chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= MAX_PAYLOAD_BYTES) chunks.push(chunk);
    else chunks = [];
  });
  request.on("end", () => {
    if (size > MAX_PAYLOAD_BYTES) {
      refuse(payloadTooLarge(`The request's body is over ${MAX_PAYLOAD_BYTES} bytes`));
      return;
    }
    const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
    const event = createEvent({ ...target, body });
    if (size > SURELY_FITS_BYTES && Buffer.byteLength(JSON.stringify(event)) > MAX_EVENT_BYTES) {
      return refuse(
        payloadTooLarge(`With a body of ${size} bytes the event is over Lambda's ${MAX_EVENT_BYTES} bytes`),
      );
    }
    void invoke(target.service, event, options).then(reply, (error: ApiError) => refuse(error));
  });
}

interface Destination {
  service: MountedService;
  match: Match;
  path: string;
  query: string;
}

/** Finds the service and resource of a request. Throws ApiError if there is none. */
function find(request: IncomingMessage, services: readonly MountedService[]): Destination {
  const url = request.url ?? "";
  const mark = url.indexOf("?");
  const found = findService(services, mark === -1 ? url : url.slice(0, mark));
  const match = found?.service.match(found.path);
  if (!found || !match) throw new ApiError("not_found", "There is no endpoint at this path.");
  return { ...found, match, query: mark === -1 ? "" : url.slice(mark + 1) };
}

/** Checks the key of a request. Throws ApiError to reject it. */
function admit(request: IncomingMessage, requestId: string, found: Destination): Target {
  const apiKey = request.headers["x-api-key"]?.toString();
  const apiKeyId = found.service.admit(apiKey);
  return { ...found, request, stage: found.service.stage, apiKey, apiKeyId, requestId };
}

/** Returns the headers of a request with the names as they were sent; of several values the last. */
function sentHeaders({ rawHeaders }: IncomingMessage): Map<string, string> {
  const headers = new Map<string, string>();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) headers.set(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
  return headers;
}

function payloadTooLarge(what: string): ApiError {
  return new ApiError("payload_too_large", `${what}; send less at a time.`);
}

/** Calls the function with a timeout. Throws ApiError where API Gateway would respond with an error. */
async function invoke(service: MountedService, event: ProxyEvent, options: ExchangeOptions): Promise<Answer> {
  const { integrationTimeoutMs, functionTimeoutMs, onFunctionError } = options;
  const context = createContext(event.requestContext.requestId, functionTimeoutMs);
  const ms = Math.min(integrationTimeoutMs, functionTimeoutMs);
  const late = () => timedOut(integrationTimeoutMs, functionTimeoutMs);
  try {
    return answerOf(await withTimeout(ms, async () => service.handler(event, context), late));
  } catch (error) {
    if (error instanceof ApiError) throw error;
    onFunctionError(error);
    throw new ApiError("outcome_unknown", `The function failed; its log has the reason. ${UNKNOWN}`, { cause: error });
  }
}

/** Creates the error of the timeout that expires first: Lambda's ends the function, API Gateway's ends the wait. */
function timedOut(integrationMs: number, functionMs: number): ApiError {
  const what =
    functionMs < integrationMs
      ? `Lambda ended the function after ${functionMs / 1000} s.`
      : `The function did not answer within ${integrationMs / 1000} s.`;
  return new ApiError("outcome_unknown", `${what} ${UNKNOWN}`, { cause: what });
}

import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";
import { type Deadline, deadlineIn } from "../resilience/deadline.ts";

export type ProxyEvent = APIGatewayProxyEvent;
export type ProxyResult = APIGatewayProxyResult;
export type ProxyHandler = (event: ProxyEvent, context: Context) => Promise<ProxyResult>;

/** What every endpoint knows of its request. Header names are in lower case. */
export interface Call {
  requestId: string;
  headers: Readonly<Record<string, string>>;
  deadline: Deadline;
}

/** A request with a JSON body: the parsed value, and the text it came from, for what must reach the cluster unchanged. */
export interface JsonCall<Body> extends Call {
  body: Body;
  text: string;
}

/** An endpoint's answer. A string body is JSON unless the headers say otherwise. */
export interface Reply {
  status: number;
  headers?: Readonly<Record<string, string>>;
  body: string | Buffer;
}

/** Milliseconds kept back to serialize and hand over the answer before the platform ends the function. */
const HANDOVER_MS = 200;

/** Used where the platform gives no remaining time: API Gateway's integration timeout is 29 s, the function's 28 s. */
const FUNCTION_TIMEOUT_MS = 28_000;

export function callOf(event: ProxyEvent, context: Context | undefined): Call {
  const remaining = context?.getRemainingTimeInMillis?.() ?? FUNCTION_TIMEOUT_MS;
  return {
    requestId: requestIdOf(event, context),
    headers: lowerCaseHeaders(event),
    deadline: deadlineIn(Math.max(0, remaining - HANDOVER_MS)),
  };
}

export function requestIdOf(event: ProxyEvent, context: Context | undefined): string {
  return event.requestContext?.requestId ?? context?.awsRequestId ?? "unknown";
}

function lowerCaseHeaders({ headers }: ProxyEvent): Record<string, string> {
  const lower: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (value !== undefined) lower[name.toLowerCase()] = value;
  }
  return lower;
}

/** A header of a request, whatever the case its name has there. */
export function headerOf({ headers }: ProxyEvent, name: string): string | undefined {
  for (const given in headers) {
    if (given.length === name.length && given.toLowerCase() === name) return headers[given];
  }
  return undefined;
}

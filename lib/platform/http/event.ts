import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from "aws-lambda";
import { type Deadline, deadlineIn } from "../resilience/deadline.ts";
import type { KeyRules } from "./access.ts";

export type ProxyEvent = APIGatewayProxyEvent;
export type ProxyResult = APIGatewayProxyResult;
export type ProxyHandler = (event: ProxyEvent, context: Context) => Promise<ProxyResult>;

/** A request as every endpoint sees it. Header names are in lower case. */
export interface Call {
  requestId: string;
  /** Who calls, and what they may do. */
  caller: KeyRules;
  headers: Readonly<Record<string, string>>;
  deadline: Deadline;
}

/** A request with a JSON body: the parsed value, and the text for parts that must reach the cluster unchanged. */
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

/** Milliseconds reserved for serializing and returning the answer before the function times out. */
const HANDOVER_MS = 200;

/** Used if the context has no remaining time. The function times out after 28 s, API Gateway's integration after 29. */
const FUNCTION_TIMEOUT_MS = 28_000;

export function callOf(event: ProxyEvent, context: Context | undefined, caller: KeyRules): Call {
  const remaining = context?.getRemainingTimeInMillis?.() ?? FUNCTION_TIMEOUT_MS;
  return {
    requestId: requestIdOf(event, context),
    caller,
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

/** Returns a header of a request, whatever the case of its name. `name` is in lower case. */
export function headerOf({ headers }: ProxyEvent, name: string): string | undefined {
  for (const given in headers) {
    if (given.length === name.length && given.toLowerCase() === name) return headers[given];
  }
  return undefined;
}

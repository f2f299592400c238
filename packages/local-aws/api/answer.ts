import { type ServerResponse, validateHeaderName, validateHeaderValue } from "node:http";
import { ApiError } from "@relevance/lib/platform/http/error.ts";
import { MAX_RESULT_BYTES } from "@relevance/lib/platform/http/middleware.ts";

/** A shorter body always fits, because JSON escapes a character to at most six bytes. */
const SURELY_FITS = Math.floor(MAX_RESULT_BYTES / 6) - 100_000;

/** Headers that belong to one connection, and the length, which is computed here. */
const DROPPED = new Set(["connection", "content-length", "keep-alive", "transfer-encoding", "upgrade"]);

/** End of every message about a failed function, which may already have executed the request. */
export const UNKNOWN = "Whether the request was executed is unknown.";

/** The response to the client. */
export interface Answer {
  status: number;
  headers: [name: string, value: string][];
  body: string | Buffer;
}

/**
 * Returns the HTTP response for a proxy result. Throws `outcome_unknown` for a result that API Gateway would reject as
 * malformed or that is too large for Lambda to return.
 */
export function answerOf(result: unknown): Answer {
  if (typeof result !== "object" || result === null) throw malformed("it is not an object");
  const { statusCode, headers, multiValueHeaders, body, isBase64Encoded } = result as Record<string, unknown>;
  const status = Number(statusCode);
  if (!Number.isInteger(status) || status < 200 || status > 599) throw malformed(`statusCode is ${String(statusCode)}`);
  if (body !== undefined && body !== null && typeof body !== "string") throw malformed("body is not a string");
  const text = body ?? "";
  if (text.length > SURELY_FITS) checkSize(result);
  return {
    status,
    headers: [...headerList(headers, multiValueHeaders)],
    body: isBase64Encoded === true ? Buffer.from(text, "base64") : text,
  };
}

function checkSize(result: object): void {
  const size = Buffer.byteLength(JSON.stringify(result));
  if (size <= MAX_RESULT_BYTES) return;
  throw new ApiError(
    "outcome_unknown",
    `The function's answer takes ${size} bytes, and Lambda returns at most ${MAX_RESULT_BYTES}. ${UNKNOWN}`,
    { cause: `a result of ${size} bytes` },
  );
}

function* headerList(single: unknown, multi: unknown): Generator<[string, string]> {
  const several = entriesOf("multiValueHeaders", multi);
  const names = new Set(several.map(([name]) => name.toLowerCase()));
  for (const [name, value] of entriesOf("headers", single)) {
    if (!names.has(name.toLowerCase())) yield [name, headerValue(name, value)];
  }
  for (const [name, values] of several) {
    if (!Array.isArray(values)) throw malformed(`multiValueHeaders.${name} is not an array`);
    for (const value of values) yield [name, headerValue(name, value)];
  }
}

function entriesOf(what: string, headers: unknown): [string, unknown][] {
  if (headers === undefined || headers === null) return [];
  if (typeof headers !== "object") throw malformed(`${what} is not an object`);
  return Object.entries(headers);
}

function headerValue(name: string, value: unknown): string {
  if (!["string", "number", "boolean"].includes(typeof value)) throw malformed(`header ${name} is not a string`);
  try {
    validateHeaderName(name);
    validateHeaderValue(name, String(value));
  } catch (error) {
    throw malformed(`header ${JSON.stringify(name)} cannot be sent: ${(error as Error).message}`);
  }
  return String(value);
}

function malformed(why: string): ApiError {
  return new ApiError("outcome_unknown", `The function's answer is not a proxy result: ${why}. ${UNKNOWN}`, {
    cause: why,
  });
}

/** Returns the response to a request that the API itself rejects, in the error format of both services. */
export function refusal(error: ApiError, requestId: string): Answer {
  return {
    status: error.statusCode,
    headers: [
      ["content-type", "application/json"],
      ["x-request-id", requestId],
      ...Object.entries(error.headers).map(([name, value]): [string, string] => [name, value]),
    ],
    body: error.body(requestId, { native: true }),
  };
}

/** Sends a response. For `HEAD` it keeps the function's content-length, since there is no body to measure. */
export function send(response: ServerResponse, answer: Answer, options: { head: boolean; requestId: string }): void {
  const { status, body } = answer;
  const headers: string[] = ["x-amzn-requestid", options.requestId];
  let contentType = false;
  for (const [name, value] of answer.headers) {
    const lower = name.toLowerCase();
    if (lower === "content-type") contentType = true;
    if (!DROPPED.has(lower) || (options.head && lower === "content-length")) headers.push(name, value);
  }
  if (!contentType) headers.push("content-type", "application/json");
  const bodiless = status === 204 || status === 304;
  if (!options.head && !bodiless) headers.push("content-length", String(Buffer.byteLength(body)));
  response.writeHead(status, headers);
  response.end(bodiless || options.head ? undefined : body);
}

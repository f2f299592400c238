import type { IncomingMessage } from "node:http";
import type { ProxyEvent } from "@relevance/lib/platform/http/event.ts";
import { ACCOUNT_ID } from "../cloud/account.ts";
import type { Match } from "./resources.ts";

const API_ID = "local";

/** Headers that API Gateway does not pass on, because they belong to one connection or one body encoding. */
const DROPPED = new Set([
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "proxy-authenticate",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

export interface EventParts {
  request: IncomingMessage;
  /** Path below the base path, percent-encoded as received. */
  path: string;
  /** The part of the URL after the question mark. */
  query: string;
  match: Match;
  /** Base path without slashes. It plays the role of API Gateway's stage. */
  stage: string;
  apiKey: string | undefined;
  apiKeyId: string | undefined;
  requestId: string;
  body: Buffer;
}

/**
 * Creates the proxy event (version 1) that API Gateway would pass to Lambda for a REST API with all media types binary.
 * Path and path parameters stay percent-encoded, query parameters are decoded, and header names keep their case.
 */
export function createEvent(parts: EventParts): ProxyEvent {
  const { request, path, match, body } = parts;
  const method = request.method ?? "GET";
  const sourceIp = request.socket.remoteAddress ?? "";
  const { headers, multiValueHeaders } = headersOf(request, sourceIp);
  const { queryStringParameters, multiValueQueryStringParameters } = queryOf(parts.query);
  return {
    resource: match.resource,
    path,
    httpMethod: method,
    headers,
    multiValueHeaders,
    queryStringParameters,
    multiValueQueryStringParameters,
    pathParameters: match.pathParameters,
    stageVariables: null,
    requestContext: requestContext(parts, method, sourceIp),
    body: body.length > 0 ? body.toString("base64") : null,
    isBase64Encoded: body.length > 0,
  };
}

function requestContext(parts: EventParts, httpMethod: string, sourceIp: string): ProxyEvent["requestContext"] {
  const { request, match, stage, requestId, apiKey, apiKeyId } = parts;
  const time = Date.now();
  return {
    accountId: ACCOUNT_ID,
    apiId: API_ID,
    authorizer: null,
    domainName: request.headers.host ?? "",
    extendedRequestId: requestId,
    httpMethod,
    identity: {
      ...NOBODY,
      apiKey: apiKey ?? null,
      apiKeyId: apiKeyId ?? null,
      sourceIp,
      userAgent: request.headers["user-agent"] ?? null,
    },
    path: stage ? `/${stage}${parts.path}` : parts.path,
    protocol: `HTTP/${request.httpVersion}`,
    requestId,
    requestTime: commonLogTime(time),
    requestTimeEpoch: time,
    resourceId: match.resource,
    resourcePath: match.resource,
    stage: stage || "local",
  };
}

const NOBODY = {
  accessKey: null,
  accountId: null,
  caller: null,
  clientCert: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  user: null,
  userArn: null,
};

type Headers = Pick<ProxyEvent, "headers" | "multiValueHeaders">;

function headersOf(request: IncomingMessage, sourceIp: string): Headers {
  const headers: ProxyEvent["headers"] = {};
  const multiValueHeaders: Record<string, string[]> = {};
  const raw = request.rawHeaders;
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] ?? "";
    if (!DROPPED.has(name.toLowerCase())) add(headers, multiValueHeaders, name, raw[index + 1] ?? "");
  }
  add(headers, multiValueHeaders, "X-Forwarded-For", sourceIp);
  add(headers, multiValueHeaders, "X-Forwarded-Port", String(request.socket.localPort ?? ""));
  add(headers, multiValueHeaders, "X-Forwarded-Proto", "http");
  return { headers, multiValueHeaders };
}

type Query = Pick<ProxyEvent, "queryStringParameters" | "multiValueQueryStringParameters">;

function queryOf(query: string): Query {
  if (query === "") return { queryStringParameters: null, multiValueQueryStringParameters: null };
  const queryStringParameters: Record<string, string | undefined> = {};
  const multiValueQueryStringParameters: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    add(queryStringParameters, multiValueQueryStringParameters, name, value);
  }
  return { queryStringParameters, multiValueQueryStringParameters };
}

/** Adds a value to both maps: `single` keeps the last value of a name, `multi` keeps all of them. */
function add(
  single: Record<string, string | undefined>,
  multi: Record<string, string[]>,
  name: string,
  value: string,
): void {
  // Assigning to this name would set the object's prototype.
  if (name === "__proto__") return;
  single[name] = value;
  const values = Object.hasOwn(multi, name) ? multi[name] : undefined;
  if (values) values.push(value);
  else multi[name] = [value];
}

/** Formats a time as in `09/Apr/2015:12:34:56 +0000`. */
function commonLogTime(time: number): string {
  const [, day, month, year, clock] = new Date(time).toUTCString().split(/,? /);
  return `${day}/${month}/${year}:${clock} +0000`;
}

import type { Route } from "../lib/platform/http/route.ts";
import { type Json, type SchemaNames, schemaReference } from "./openapi-schemas.ts";

/** The meanings of statuses; null for an unused status. */
export type ErrorMeanings = Readonly<Record<number, string | null>>;

/** Errors that any endpoint may return. */
const ERRORS: ErrorMeanings = {
  400: "The request is not valid; `issues` lists every invalid place.",
  401: "The signed token is missing, expired or forged, or its key is unknown.",
  403: "The caller is not authorized, or may not make this call.",
  404: "The index does not exist.",
  405: "The path does not support this method; `allow` lists those that it supports.",
  413: "The body is too large; nothing has been written.",
  415: "The content type is not supported.",
  422: "The cluster refused the request; `cause` is the cluster's own error.",
  429: "Throttled; try again after `retry-after` seconds.",
  500: "The outcome of the request is unknown, its answer is too large, or the service has a fault; its log has the cause.",
  502: "An upstream failed; nothing was written.",
  503: "An upstream cannot be reached; nothing was written.",
  504: "The request ran out of time; nothing was written.",
};

/** Other errors that the cluster may return on the raw backend. */
const CLUSTER_ERRORS: ErrorMeanings = {
  401: "The signed token is refused, or the cluster refused the gateway's credentials.",
  404: "The cluster has no such index, document or endpoint.",
  406: "The cluster does not support this content type.",
  408: "The cluster did not reach the requested state in time.",
  409: "A version conflict.",
  412: "A precondition failed.",
  501: "The cluster does not implement this.",
};

/** Headers of answers. The document describes each once and refers to it. */
export const HEADERS: Json = {
  RequestId: {
    description: "Identifies the request in the service's logs; errors repeat it as `request_id`.",
    schema: { type: "string" },
  },
  QueryId: {
    description: "Identifies this search in the request log; send it with each event about the hits.",
    schema: { type: "string", format: "uuid" },
  },
  ServerTiming: {
    description: "Milliseconds of the whole search and of its stages, such as `total;dur=12, cluster;dur=8`.",
    schema: { type: "string" },
  },
  Degraded: { description: "The stages of `degraded`.", schema: { type: "string" } },
  Allow: { description: "The methods that the path supports, separated by commas.", schema: { type: "string" } },
  RetryAfter: { description: "Seconds to wait.", schema: { type: "integer" } },
};

/** Returns a reference to one of {@link HEADERS}. */
export function header(name: string): Json {
  return { $ref: `#/components/headers/${name}` };
}

/** Headers of errors besides `x-request-id`. */
const ERROR_HEADERS: Readonly<Record<string, Json>> = {
  405: { allow: header("Allow") },
  429: { "retry-after": header("RetryAfter") },
};

const ERROR_ANSWER = { $ref: "#/components/schemas/ErrorAnswer" };

/** An error of a route that passes on the cluster's answers: the gateway's or the cluster's. */
const NATIVE_ERROR = {
  anyOf: [{ $ref: "#/components/schemas/RawErrorAnswer" }, { $ref: "#/components/schemas/ClusterError" }],
};

/** Returns the error answers of an API as components, and a function that returns an operation's references to them. */
export function errorResponses(routes: readonly Route[], schemas: SchemaNames, own: ErrorMeanings = {}) {
  const common = used({ ...ERRORS, ...own });
  const native = used({ ...ERRORS, ...CLUSTER_ERRORS, ...own });
  const components: Json = {};
  for (const [status, meaning] of common) components[`Error${status}`] = response(status, meaning, ERROR_ANSWER);
  if (routes.some((route) => !route.response)) {
    for (const [status, meaning] of native) {
      components[`Native${status}`] = response(status, meaning, NATIVE_ERROR);
      components[`Head${status}`] = response(status, meaning);
    }
  }
  const references = (route: Route, method: string): Json => {
    const statuses = route.response ? common : native;
    const prefix = route.response ? "Error" : method === "HEAD" ? "Head" : "Native";
    const answers: Json = Object.fromEntries(
      statuses.map(([status]) => [status, { $ref: `#/components/responses/${prefix}${status}` }]),
    );
    if (!route.refusal) return answers;
    const schema = schemaReference(route.refusal, schemas);
    const meanings = new Map(common);
    const refusals = REFUSALS.map((status) => [status, response(status, meanings.get(status) ?? "", schema)]);
    return { ...answers, ...Object.fromEntries(refusals) };
  };
  return { components, references };
}

/** Statuses of answers in which no record was accepted. */
const REFUSALS = ["400", "500", "503"] as const;

const used = (meanings: ErrorMeanings) =>
  Object.entries(meanings).flatMap(([status, meaning]) => (meaning === null ? [] : [[status, meaning] as const]));

function response(status: string, description: string, schema?: Json): Json {
  return {
    description,
    headers: { "x-request-id": header("RequestId"), ...ERROR_HEADERS[status] },
    ...(schema && { content: { "application/json": { schema } } }),
  };
}

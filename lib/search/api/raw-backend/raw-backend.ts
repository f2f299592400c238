import { ApiError } from "../../../core/http/error.ts";
import { bodyBytes, type Call, type ProxyEvent, type Reply } from "../../../core/http/event.ts";
import { MAX_BODY_BYTES } from "../../../core/http/limits.ts";
import { retry } from "../../../core/resilience/retry.ts";
import type { GatewayServices } from "../../gateway/services.ts";
import { asApiError, callTimeout } from "../../opensearch/calls.ts";
import { type ClusterAnswer, ClusterFailure, type ClusterRequest } from "../../opensearch/cluster.ts";
import { type Deny, denyRules } from "./deny.ts";
import { nativePath, queryString } from "./path.ts";

/** Request headers that reach the cluster. */
const FORWARDED = ["content-type", "accept", "x-opaque-id"] as const;
/** Answer headers that reach the caller. */
const RETURNED = ["content-type", "warning"] as const;

/** ANY /raw-backend/<endpoint>: the cluster's own API. The cluster's answers and errors are its own. */
export function rawBackend(services: GatewayServices): (event: ProxyEvent, call: Call) => Promise<Reply> {
  const denied: Deny = denyRules(services.settings.raw_backend_deny);

  return async (event, call) => {
    const { segments, encoded } = nativePath(event.path);
    const body = bodyBytes(event);
    if (body.length > MAX_BODY_BYTES) {
      throw new ApiError(
        "payload_too_large",
        `The body has ${body.length} bytes, at most ${MAX_BODY_BYTES} are accepted. Send it in parts. Nothing has been written.`,
      );
    }
    const method = nativeMethod(event.httpMethod, segments);
    // A rule may name the method that the caller sends, or the one that the cluster gets.
    if ([event.httpMethod, method].some((named) => denied({ method: named, segments, body }))) {
      throw new ApiError("forbidden", `${event.httpMethod} /${segments.join("/").slice(0, 200)} is not allowed here.`);
    }
    const answer = await sendOnce(services, call, {
      method,
      path: encoded,
      query: queryString(event),
      headers: pick(call.headers, FORWARDED),
      ...(body.length > 0 && { body }),
    });
    if (method !== "GET" && method !== "HEAD") services.catalog.forget();
    return { status: answer.status, headers: pick(answer.headers, RETURNED), body: answer.body };
  };
}

/** `POST /<index>` creates an index, which the cluster itself only takes as PUT (search-gateway.md, raw backend). */
function nativeMethod(method: string, segments: readonly string[]): string {
  return method === "POST" && segments.length === 1 && !segments[0]?.startsWith("_") ? "PUT" : method;
}

/** Never repeated once a connection was made: what a native call does is not known here. */
async function sendOnce({ cluster }: GatewayServices, call: Call, request: ClusterRequest): Promise<ClusterAnswer> {
  try {
    return await retry(() => cluster.send(request, callTimeout(call.deadline)), {
      deadline: call.deadline,
      retryable: (error) => error instanceof ClusterFailure && error.kind === "refused",
    });
  } catch (error) {
    const reads = request.method === "GET" || request.method === "HEAD";
    if (!reads && error instanceof ClusterFailure && error.kind === "lost") {
      throw new ApiError(
        "outcome_unknown",
        "The connection to the search cluster was lost after the request was sent: whether it was executed is not known.",
        { cause: error },
      );
    }
    throw asApiError(error);
  }
}

function pick(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  names: readonly string[],
): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = headers[name];
    if (value !== undefined) picked[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  return picked;
}

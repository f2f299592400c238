import { readBody } from "@relevance/lib/platform/http/body-handlers.ts";
import { ApiError } from "@relevance/lib/platform/http/error.ts";
import type { ProxyEvent, ProxyHandler } from "@relevance/lib/platform/http/event.ts";

/** Paths of requests that can contain a mapping: an index, a mapping, a template, a rollover. */
const CARRIES_MAPPING =
  /^\/raw-backend\/([^/_][^/]*\/?$|(.*\/)?(_mappings?|_template|_index_template|_component_template|_rollover)(\/|$))/;

/**
 * Rejects mappings with a `knn_vector` that does not use the Lucene engine. The local server's k-NN plugin lacks the
 * native libraries of the other engines, so the first vector of such a field would crash the server, and its data would
 * crash it again at every start. AWS has these libraries.
 */
export function refuseNativeVectors(handler: ProxyHandler): ProxyHandler {
  return async (event, context) => {
    const field = await nativeVector(event);
    if (field === undefined) return handler(event, context);
    const error = new ApiError(
      "invalid_request",
      `${field} is a knn_vector without the lucene engine. The local OpenSearch has no other engine, and the first ` +
        'vector would end the server; set "method": {"engine": "lucene", "name": "hnsw", …} here. ' +
        "On Amazon OpenSearch Service any engine works.",
      { issues: [{ path: field, message: 'method.engine must be "lucene" in the local stack' }] },
    );
    const { requestId } = event.requestContext;
    return {
      statusCode: error.statusCode,
      headers: { "content-type": "application/json; charset=utf-8", "x-request-id": requestId },
      body: error.body(requestId),
    };
  };
}

/** Returns the path of the first such field in the request's body. */
async function nativeVector(event: ProxyEvent): Promise<string | undefined> {
  if (!["PUT", "POST"].includes(event.httpMethod) || !event.body || !CARRIES_MAPPING.test(decoded(event.path))) return;
  try {
    const text = (await readBody(event)).toString("utf8");
    // Skips parsing for almost all bodies. The name is not normally written with JSON escapes.
    if (!text.includes("knn_vector")) return;
    return find(JSON.parse(text), []);
  } catch {
    // The gateway or the cluster reports bodies that cannot be parsed.
    return;
  }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function find(value: unknown, path: readonly string[]): string | undefined {
  if (typeof value !== "object" || value === null) return;
  const { type, method } = value as { type?: unknown; method?: { engine?: unknown } };
  if (type === "knn_vector" && method?.engine !== "lucene") return path.join(".") || "The mapping";
  for (const [key, child] of Object.entries(value)) {
    const found = find(child, [...path, key]);
    if (found !== undefined) return found;
  }
  return;
}

/**
 * Endpoints that only read when they are called with POST. Any other call that is not GET or HEAD may change something.
 */
const READS_BY_POST = new Set([
  "_analyze",
  "_count",
  "_explain",
  "_field_caps",
  "_mget",
  "_msearch",
  "_mtermvectors",
  "_rank_eval",
  "_render",
  "_search",
  "_search_shards",
  "_termvectors",
  "_validate",
]);

/** Returns the endpoint that follows the index in a path, such as `_search`, and the segment after it. */
export function endpointOf(segments: readonly string[]): { name: string; next: string } {
  const [name = "", next = ""] = segments.slice(segments[0]?.startsWith("_") && segments[0] !== "_all" ? 0 : 1);
  return { name, next };
}

/** Returns whether repeating a native call has no effect, judging by its method and decoded path. */
export function isRead(method: string, segments: readonly string[]): boolean {
  const { name, next } = endpointOf(segments);
  // Each call advances the scroll, so repeating one skips a page.
  if (name === "_search" && next === "scroll") return false;
  if (method === "GET" || method === "HEAD") return true;
  return method === "POST" && READS_BY_POST.has(name) && next !== "point_in_time";
}

/** Returns the method to send. `POST /<index>` creates an index here, for which the cluster itself accepts only PUT. */
export function nativeMethod(method: string, segments: readonly string[]): string {
  return method === "POST" && segments.length === 1 && !segments[0]?.startsWith("_") ? "PUT" : method;
}

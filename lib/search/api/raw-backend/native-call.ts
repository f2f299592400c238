/**
 * Endpoints that only read when they are called with POST. Everything else that is not GET or HEAD may change
 * something.
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

/** Returns the first part of a path that is not an index, such as `_search`, and the part behind it. */
export function endpointOf(segments: readonly string[]): { name: string; next: string } {
  const [name = "", next = ""] = segments.slice(segments[0]?.startsWith("_") && segments[0] !== "_all" ? 0 : 1);
  return { name, next };
}

/** Whether a native call can be repeated without any effect, told by its method and decoded path. */
export function isRead(method: string, segments: readonly string[]): boolean {
  const { name, next } = endpointOf(segments);
  // Each call moves the scroll on, so a repeated one skips a page.
  if (name === "_search" && next === "scroll") return false;
  if (method === "GET" || method === "HEAD") return true;
  return method === "POST" && READS_BY_POST.has(name) && next !== "point_in_time";
}

/** The method that the cluster gets: `POST /<index>` creates an index, which the cluster itself only takes as PUT. */
export function nativeMethod(method: string, segments: readonly string[]): string {
  return method === "POST" && segments.length === 1 && !segments[0]?.startsWith("_") ? "PUT" : method;
}

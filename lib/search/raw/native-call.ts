import type { ProxyEvent } from "../../platform/http/event.ts";
import { invalidRequest } from "../../platform/http/validate.ts";
import { endpointOf } from "../access/calls.ts";

/** The route's prefix, which the cluster's own path follows. */
export const PREFIX = "/raw-backend";

/** A path of the cluster: decoded for the rules, encoded for sending. */
export interface NativePath {
  segments: readonly string[];
  encoded: string;
}

/**
 * Returns the path after `/raw-backend`, with each segment decoded once. A slash inside a segment (`%2F` in a document
 * id) stays inside it. An empty segment stays empty, since the cluster reads it as an empty name. Throws
 * `invalid_request` for broken percent-encoding, and for `.` and `..`, which a proxy before the cluster may resolve.
 */
export function nativePath(path: string): NativePath {
  const sent = path.slice(PREFIX.length).split("/").slice(1).map(decodeSegment);
  // The rules ignore trailing slashes, as the cluster does.
  const end = sent.findLastIndex((segment) => segment !== "") + 1;
  return { segments: sent.slice(0, end), encoded: `/${sent.map(encodeURIComponent).join("/")}` };
}

function decodeSegment(encoded: string): string {
  let segment: string;
  try {
    segment = decodeURIComponent(encoded);
  } catch {
    throw wrongPath(`holds ${JSON.stringify(encoded.slice(0, 60))}, which is not percent-encoded UTF-8`);
  }
  if (segment === "." || segment === "..") throw wrongPath("holds a . or .. segment");
  return segment;
}

const wrongPath = (message: string) => invalidRequest([{ path: "path", message }]);

/** Parameters whose values are free text, where a semicolon is an ordinary character. */
const FREE_TEXT = new Set(["q", "source", "routing", "preference", "df"]);

/** A semicolon that separates parameters, as in `?a=1;b=2`, followed by a name and an equals sign. */
const SEPARATOR = /;(?=[a-z_]+=)/;

/**
 * Returns the names and values of the query string that API Gateway has decoded. The cluster also accepts a semicolon
 * as a separator, which API Gateway leaves in names and values.
 */
export function parametersOf(event: ProxyEvent): Array<[name: string, value: string]> {
  return Object.entries(event.multiValueQueryStringParameters ?? {}).flatMap(([name, values = []]) =>
    values.flatMap((value) => separated(name, value)),
  );
}

/** Returns the query string of parameters, encoded. */
export function queryString(parameters: ReadonlyArray<readonly [name: string, value: string]>): string {
  return parameters.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
}

function separated(name: string, value: string): Array<[name: string, value: string]> {
  const flags = name.split(";");
  const last = flags.pop() ?? "";
  const [first = "", ...others] = FREE_TEXT.has(last) ? [value] : value.split(SEPARATOR);
  return [
    ...flags.map((flag): [string, string] => [flag, ""]),
    [last, first],
    ...others.map((other): [string, string] => [
      other.slice(0, other.indexOf("=")),
      other.slice(other.indexOf("=") + 1),
    ]),
  ];
}

/** Endpoints that only read when called with POST. Any other call except GET and HEAD may change something. */
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

/** Endpoints whose bodies have JSON on each line. */
const LINES = new Set(["_bulk", "_msearch"]);

/**
 * Returns a body without byte order marks at the start of lines: the cluster parses each line separately and skips one
 * mark. So the checked text is the sent text. The mark at the start of the body is already removed.
 */
export function withoutMarks(segments: readonly string[], body: Buffer): Buffer {
  if (!LINES.has(endpointOf(segments).name) || !body.includes("\n\ufeff")) return body;
  return Buffer.from(body.toString("utf8").replaceAll("\n\ufeff", "\n"));
}

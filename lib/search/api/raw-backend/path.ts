import type { ProxyEvent } from "../../../core/http/event.ts";
import { invalidRequest } from "../../../core/http/validate.ts";

/** The route's prefix; what follows is the cluster's own path. */
export const PREFIX = "/raw-backend";

/** A path of the cluster: decoded for rules, encoded for the wire. */
export interface NativePath {
  segments: readonly string[];
  encoded: string;
}

const FORBIDDEN = /[\p{Cc}\\]/u;

/**
 * The path behind `/raw-backend`, each segment decoded once. A slash inside a segment (`%2F` in a document id) stays
 * inside it. Throws `invalid_request` for what a cluster or a rule could read in two ways.
 */
export function nativePath(path: string): NativePath {
  const rest = path.slice(PREFIX.length).replace(/^\//, "").replace(/\/$/, "");
  if (rest === "") return { segments: [], encoded: "/" };
  const segments = rest.split("/").map(decodeSegment);
  return { segments, encoded: segments.map((segment) => `/${encodeURIComponent(segment)}`).join("") };
}

function decodeSegment(encoded: string): string {
  let segment: string;
  try {
    segment = decodeURIComponent(encoded);
  } catch {
    throw wrongPath(`holds ${JSON.stringify(encoded.slice(0, 60))}, which is not percent-encoded UTF-8`);
  }
  if (segment === "" || segment === "." || segment === "..") throw wrongPath("holds an empty, . or .. segment");
  if (FORBIDDEN.test(segment)) throw wrongPath("holds a control character or a backslash");
  return segment;
}

const wrongPath = (message: string) => invalidRequest([{ path: "path", message }]);

/** The query string as API Gateway hands it over, decoded, encoded again. */
export function queryString(event: ProxyEvent): string {
  const pairs = Object.entries(event.multiValueQueryStringParameters ?? {}).flatMap(([name, values]) =>
    (values ?? []).map((value) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`),
  );
  return pairs.join("&");
}

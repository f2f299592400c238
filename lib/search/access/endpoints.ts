import type { BodyReader } from "./bodies.ts";
import * as read from "./bodies.ts";
import type { Rule } from "./names.ts";

/** A call of the cluster's own API that `recommended` lets through. */
export interface NativeEndpoint {
  methods: ReadonlySet<string>;
  /** Segments; `{index}` is an index expression and any other `{…}` one segment of free text. */
  segments: readonly string[];
  /** Whether the index expression may hold wildcards. */
  wildcards: boolean;
  /** Returns why the body is refused. Undefined if no body can name an index, as with a document or a mapping. */
  body?: BodyReader;
  /** The rule that refuses this call to keys with patterns, for which it cannot be bounded. */
  unbounded?: Rule;
}

type Options = Partial<Pick<NativeEndpoint, "wildcards" | "body" | "unbounded">>;

const endpoint = (methods: string, path: string, options: Options = {}): NativeEndpoint => ({
  methods: new Set(methods.split(" ")),
  segments: path === "/" ? [] : path.slice(1).split("/"),
  wildcards: false,
  ...options,
});

const searching: Options = { wildcards: true, body: read.query };
const describing: Options = { wildcards: true };

/** What an application needs of the cluster: nothing that concerns other indexes, other users or the cluster. */
const RECOMMENDED: readonly NativeEndpoint[] = [
  endpoint("GET HEAD", "/"),

  endpoint("GET HEAD", "/{index}", describing),
  endpoint("PUT", "/{index}", { body: read.newIndex }),
  endpoint("DELETE", "/{index}"),

  endpoint("POST", "/{index}/_doc"),
  endpoint("GET HEAD PUT POST DELETE", "/{index}/_doc/{id}"),
  endpoint("PUT POST", "/{index}/_create/{id}"),
  endpoint("POST", "/{index}/_update/{id}"),
  endpoint("GET HEAD", "/{index}/_source/{id}"),
  endpoint("PUT POST", "/_bulk", { body: read.bulk }),
  endpoint("PUT POST", "/{index}/_bulk", { body: read.bulk }),
  endpoint("GET POST", "/_mget", { body: read.query }),
  endpoint("GET POST", "/{index}/_mget", { body: read.query }),
  endpoint("POST", "/{index}/_delete_by_query", { body: read.query }),
  endpoint("POST", "/{index}/_update_by_query", { body: read.query }),
  endpoint("POST", "/_reindex", { body: read.reindex }),

  endpoint("GET POST", "/_search", { body: read.pointInTimeSearch, unbounded: "open-search" }),
  endpoint("GET POST", "/{index}/_search", searching),
  endpoint("GET POST", "/_msearch", { body: read.multiSearch }),
  endpoint("GET POST", "/{index}/_msearch", { wildcards: true, body: read.multiSearch }),
  endpoint("GET POST", "/{index}/_count", searching),
  endpoint("GET POST", "/{index}/_validate/query", searching),
  endpoint("GET POST", "/{index}/_explain/{id}", { body: read.query }),
  endpoint("GET POST", "/{index}/_field_caps", searching),
  endpoint("GET POST", "/{index}/_rank_eval", { wildcards: true, body: read.rankEvaluation }),
  endpoint("GET POST", "/{index}/_termvectors", { body: read.query }),
  endpoint("GET POST", "/{index}/_termvectors/{id}", { body: read.query }),
  endpoint("GET POST", "/_mtermvectors", { body: read.query }),
  endpoint("GET POST", "/{index}/_mtermvectors", { body: read.query }),

  endpoint("POST", "/{index}/_search/point_in_time", { wildcards: true, unbounded: "open-search" }),
  endpoint("DELETE", "/_search/point_in_time", { unbounded: "open-search" }),
  endpoint("GET POST DELETE", "/_search/scroll", { unbounded: "open-search" }),

  endpoint("GET", "/{index}/_mapping", describing),
  endpoint("GET", "/{index}/_mapping/field/{fields}", describing),
  endpoint("PUT POST", "/{index}/_mapping"),
  endpoint("GET", "/{index}/_settings", describing),
  endpoint("GET", "/{index}/_settings/{name}", describing),
  endpoint("PUT", "/{index}/_settings", { body: read.settings }),
  endpoint("GET HEAD", "/{index}/_alias", describing),
  endpoint("GET HEAD", "/{index}/_alias/{name}", describing),
  endpoint("PUT POST", "/{index}/_alias/{alias}", { body: read.query, unbounded: "alias" }),
  endpoint("DELETE", "/{index}/_alias/{name}", { unbounded: "alias" }),
  endpoint("POST", "/_aliases", { body: read.aliasActions, unbounded: "alias" }),

  endpoint("GET POST", "/{index}/_refresh", describing),
  endpoint("GET POST", "/_analyze"),
  endpoint("GET POST", "/{index}/_analyze"),
];

/** Endpoints by the number of segments and the segment that names them, so that few are compared. */
const BY_SHAPE = Map.groupBy(RECOMMENDED, ({ segments }) => shape(segments));

/** Returns the recommended endpoint of a call, or undefined if it is not one. */
export function recommendedEndpoint(method: string, segments: readonly string[]): NativeEndpoint | undefined {
  return BY_SHAPE.get(shape(segments))?.find(
    (one) => one.methods.has(method) && one.segments.every((part, at) => fits(part, segments[at] ?? "")),
  );
}

/** Only an index can stand before the name of an operation. Free text, such as a document id, can be anything. */
function shape(segments: readonly string[]): string {
  const [first = ""] = segments;
  return first.startsWith("_") && first !== "_all"
    ? `${first}/${segments.length}`
    : `/${segments[1] ?? ""}/${segments.length}`;
}

function fits(part: string, segment: string): boolean {
  if (part === "{index}") return !segment.startsWith("_") || segment === "_all";
  return part.startsWith("{") ? segment !== "" : part === segment;
}

import type { Route } from "../../lib/core/http/route.ts";

/** A resource of the API and the path parameters of one request, percent-encoded as they came. */
export interface Match {
  resource: string;
  pathParameters: Record<string, string> | null;
}

interface Segments {
  resource: string;
  segments: readonly string[];
}

/**
 * Finds the resource of a request path as API Gateway does: a literal segment beats a parameter, a parameter beats
 * `{proxy+}`. Besides the routes there is `ANY /{proxy+}`, so everything but `/` has a resource; paths that the routes
 * do not know are the router's to refuse.
 */
export function createMatcher(routes: readonly Route[]): (path: string) => Match | undefined {
  const resources = [...new Set([...routes.map(({ path }) => path), "/{proxy+}"])];
  const literal = new Map(resources.filter((path) => !path.includes("{")).map((resource) => [resource, resource]));
  const patterns = resources
    .filter((path) => path.includes("{"))
    .map((resource): Segments => ({ resource, segments: resource.split("/").slice(1) }))
    .sort((a, b) => (specificity(a) < specificity(b) ? -1 : 1));

  return (path) => {
    const resource = literal.get(path);
    if (resource !== undefined) return { resource, pathParameters: null };
    if (!path.startsWith("/")) return undefined;
    const given = path.split("/").slice(1);
    for (const pattern of patterns) {
      const pathParameters = parameters(pattern.segments, given);
      if (pathParameters) return { resource: pattern.resource, pathParameters };
    }
    return undefined;
  };
}

/** Sorts before others what matches less: literal segments, then parameters, then the rest of a path. */
function specificity({ segments }: Segments): string {
  return segments.map((segment) => (segment.startsWith("{") ? (segment.endsWith("+}") ? "2" : "1") : "0")).join("");
}

function parameters(segments: readonly string[], given: readonly string[]): Record<string, string> | undefined {
  const found: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const value = given[index];
    if (value === undefined) return undefined;
    if (segment.endsWith("+}")) {
      const rest = given.slice(index).join("/");
      return rest === "" ? undefined : { ...found, [segment.slice(1, -2)]: rest };
    }
    if (!segment.startsWith("{")) {
      if (segment !== value) return undefined;
    } else if (value === "") return undefined;
    else found[segment.slice(1, -1)] = value;
  }
  return given.length === segments.length ? found : undefined;
}

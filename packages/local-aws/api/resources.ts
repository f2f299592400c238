import type { Route } from "@relevance/lib/platform/http/route.ts";

/** A resource of the API and the path parameters of one request, percent-encoded as received. */
export interface Match {
  resource: string;
  pathParameters: Record<string, string> | null;
}

interface Segments {
  resource: string;
  segments: readonly string[];
}

/**
 * Returns a function that finds the resource of a path as API Gateway does: a literal segment takes precedence over a
 * parameter, and a parameter over `{proxy+}`. There is always `ANY /{proxy+}` besides the routes, so every path except
 * `/` has a resource, and the router rejects unknown paths.
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

/** Returns a sort key that puts specific resources first: literal segments, then parameters, then `{proxy+}`. */
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

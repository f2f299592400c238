import { OPEN, requireEndpoint } from "./access.ts";
import { ApiError } from "./error.ts";
import type { ProxyHandler } from "./event.ts";
import { type ApiOptions, plainHandler } from "./middleware.ts";
import type { Method, ServedRoute } from "./route.ts";

/** A family's handlers by route path, loaded on first use. */
export type Family = Readonly<Record<string, ProxyHandler>>;

export interface RouterOptions {
  api: ApiOptions;
  routes: readonly ServedRoute[];
  load: (family: string) => Promise<Family>;
}

/**
 * Returns a handler that passes each event to the family of its route. Answers an unknown path with 404, and a known path
 * with another method with 405 and `allow`.
 */
export function createRouter({ api, routes, load }: RouterOptions): ProxyHandler {
  const families = new Map<string, Promise<Family>>();
  const familyOf = (name: string) => {
    const loaded = families.get(name) ?? load(name);
    families.set(name, loaded);
    // The next request retries a failed load.
    loaded.catch(() => families.delete(name));
    return loaded;
  };
  // Everyone may learn that a path does not exist.
  const open: ApiOptions = { ...api, access: OPEN };
  const matchers = routes.map((route) => ({ route, matches: matcher(route.path) }));

  const dispatch: ProxyHandler = async (event, context) => {
    const found = matchers.filter(({ matches }) => matches(event.path)).map(({ route }) => route);
    const route = found.find(({ methods }) => methods.includes(event.httpMethod as Method));
    if (!route) return refused(found)(event, context);
    try {
      requireEndpoint(await api.access.callerOf(event), route.access);
      const handler = (await familyOf(route.family))[route.path];
      if (!handler) throw new Error(`family ${route.family} has no handler for ${route.path}`);
      return await handler(event, context);
    } catch (error) {
      // Answers in the error shape instead of failing the invocation.
      return plainHandler({ ...api, nativeErrors: route.nativeErrors ?? false }, () => Promise.reject(error))(
        event,
        context,
      );
    }
  };

  /** Answers for a path whose routes do not take the method, in the error shape of those routes. */
  const refused = (found: readonly ServedRoute[]): ProxyHandler => {
    const nativeErrors = found.some((route) => route.nativeErrors);
    return plainHandler({ ...open, nativeErrors }, async ({ path, httpMethod }) => {
      if (found.length === 0) throw new ApiError("not_found", `There is no endpoint ${path.slice(0, 200)}.`);
      const allow = [...new Set(found.flatMap(({ methods }) => methods))].join(", ");
      throw new ApiError("method_not_allowed", `${httpMethod} is not allowed here; use ${allow}.`, {
        headers: { allow },
      });
    });
  };
  return dispatch;
}

function matcher(pattern: string): (path: string) => boolean {
  if (!pattern.endsWith("/{proxy+}")) return (path) => path === pattern || path === `${pattern}/`;
  const prefix = pattern.slice(0, -"{proxy+}".length);
  return (path) => path.startsWith(prefix) && path.length > prefix.length;
}

import { isObject } from "../json/values.ts";
import { forbidden, type KeyRules } from "./access.ts";

/**
 * Returns a request's body with the user and the segments of the caller's token, also in each of its searches. Throws
 * `forbidden` if it names others.
 */
export function withOwnUser<Body>(caller: KeyRules, body: Body): Body {
  const { user_id, segments } = caller.token ?? {};
  if ((user_id ?? segments) === undefined || !isObject(body)) return body;
  const required = (name: string, given: unknown, own: unknown) => {
    if (own === undefined || given == null || JSON.stringify(given) === JSON.stringify(own)) return;
    throw forbidden(caller, "token", `its token has another ${name} than the request`);
  };
  const owned = (one: Record<string, unknown>) => {
    required("user_id", one.user_id, user_id);
    required("segments", one.segments, segments);
    return { ...one, ...(user_id !== undefined && { user_id }), ...(segments && { segments }) };
  };
  const { searches, events } = body;
  for (const event of Array.isArray(events) ? events : []) {
    if (isObject(event)) for (const name of ["user_id", "USER_ID"]) required(name, event[name], user_id);
  }
  if (Array.isArray(searches)) {
    return { ...body, searches: searches.map((one) => (isObject(one) ? owned(one) : one)) };
  }
  return Array.isArray(events) ? body : (owned(body) as Body);
}

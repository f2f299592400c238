import { ApiError } from "./error.ts";
import type { ProxyEvent } from "./event.ts";
import { describeKey, type Endpoint, type KeyRules, UNLIMITED } from "./key-rules.ts";

/** Who calls. Every endpoint gets the rules of the caller with the request. */
export interface Access {
  /** Returns the rules that apply to a request. Throws `forbidden` if its caller has none. */
  callerOf: (event: ProxyEvent) => KeyRules;
}

/** Returns the name of the key whose rules apply to a request, or undefined if the caller is unknown. */
export type NameCaller = (event: ProxyEvent) => string | undefined;

/** Lets every caller do everything. */
export const OPEN: Access = { callerOf: () => UNLIMITED };

/** Returns the access of the configured keys. Without any, every caller that API Gateway lets through may do everything. */
export function createAccess(keys: readonly KeyRules[] | undefined, nameCaller: NameCaller): Access {
  if (keys === undefined) return OPEN;
  const byName = new Map(keys.map((key) => [key.name, key]));
  return {
    callerOf: (event) => {
      const name = nameCaller(event);
      const rules = name === undefined ? undefined : byName.get(name);
      if (!rules) throw new ApiError("forbidden", "No key of the configuration applies to this caller.");
      return rules;
    },
  };
}

/**
 * Returns a function that names callers by the id that API Gateway gives their API key. `keyIds` is the environment
 * variable API_KEYS: `id=name,id=name`. A key that is being rotated has two ids.
 */
export function nameByApiKey(keyIds = ""): NameCaller {
  const names = new Map(keyIds.split(",").map((pair) => pair.split("=") as [id: string, name: string]));
  return ({ requestContext }) => names.get(requestContext?.identity?.apiKeyId ?? "");
}

/** Throws `forbidden`, which says what the key may do, unless it may use one of a route's endpoints. */
export function requireEndpoint(caller: KeyRules, endpoints: readonly Endpoint[]): void {
  if (endpoints.some((endpoint) => caller.endpoints.includes(endpoint))) return;
  throw forbidden(caller, "endpoint", `it may not use ${endpoints.join(" or ")}`);
}

/** Returns the 403 of a call that a rule refuses: it names the key, the rule, and what the key may do. */
export function forbidden(caller: KeyRules, rule: string, reason: string): ApiError {
  return new ApiError(
    "forbidden",
    `The rule "${rule}" refuses this call of the key ${caller.name}: ${reason}. The key may use ${describeKey(caller)}.`,
    { shown: { rule } },
  );
}

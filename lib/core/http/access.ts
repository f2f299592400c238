import { ApiError } from "./error.ts";
import type { ProxyEvent } from "./event.ts";
import { type Authorization, describeKey, type Endpoint, iamPrincipal, type KeyRules, UNLIMITED } from "./key-rules.ts";

/** Who calls. Every endpoint gets the rules of the caller with the request. */
export interface Access {
  /** Returns the rules that apply to a request. Throws `forbidden` if its caller has none. */
  callerOf: (event: ProxyEvent) => KeyRules;
}

/** Lets every caller do everything. */
export const OPEN: Access = { callerOf: () => UNLIMITED };

/** The settings that name callers. */
export interface AccessSettings {
  keys?: readonly KeyRules[] | undefined;
  /** Undefined if callers have API keys. */
  authorization?: Authorization | undefined;
}

/**
 * Returns the access of the configured keys. Without any, every caller that API Gateway lets through may do everything.
 * `keyIds` is the environment variable API_KEYS: `id=name,id=name`. A key that is being rotated has two ids.
 */
export function createAccess({ keys, authorization = "api_key" }: AccessSettings, keyIds = ""): Access {
  if (keys === undefined) return OPEN;
  const { idOf, entries } = IDENTITIES[authorization];
  const rulesOf = new Map(entries(keys, keyIds));
  return {
    callerOf: (event) => {
      const id = idOf(event);
      const rules = id === undefined ? undefined : rulesOf.get(id);
      if (!rules) throw new ApiError("forbidden", unknownCaller(authorization, id));
      return rules;
    },
  };
}

interface Identity {
  /** Returns the caller that API Gateway names in an event. */
  idOf: (event: ProxyEvent) => string | undefined;
  /** Returns the callers of the keys. */
  entries: (keys: readonly KeyRules[], keyIds: string) => [id: string, rules: KeyRules][];
}

const IDENTITIES: Readonly<Record<Authorization, Identity>> = {
  api_key: {
    idOf: ({ requestContext }) => requestContext?.identity?.apiKeyId ?? undefined,
    entries: (keys, keyIds) =>
      keyIds.split(",").flatMap((pair) => {
        const [id = "", name] = pair.split("=");
        return keys.filter((key) => key.name === name).map((key): [string, KeyRules] => [id, key]);
      }),
  },
  iam: {
    idOf: ({ requestContext }) => iamPrincipal(requestContext?.identity?.userArn ?? ""),
    entries: (keys) => principalsOf(keys, iamPrincipal),
  },
  lambda: {
    idOf: ({ requestContext }) => {
      const id: unknown = requestContext?.authorizer?.principalId;
      return typeof id === "string" ? id : undefined;
    },
    entries: (keys) => principalsOf(keys, (principal) => principal),
  },
};

function principalsOf(
  keys: readonly KeyRules[],
  idOf: (principal: string) => string | undefined,
): [id: string, rules: KeyRules][] {
  return keys.flatMap((key) =>
    (key.principals ?? []).flatMap((principal): [string, KeyRules][] => {
      const id = idOf(principal);
      return id === undefined ? [] : [[id, key]];
    }),
  );
}

/** Says why no key applies. A caller may read who it is, but no ARN. */
function unknownCaller(authorization: Authorization, id: string | undefined): string {
  if (authorization === "api_key") return "No key of the configuration applies to this caller.";
  const listed = "no entry of `keys` in api.yaml lists it in `principals`";
  if (authorization === "iam") {
    return `The caller is ${id === undefined ? "neither a role nor a user of IAM" : `the ${id}`}: ${listed}.`;
  }
  return id === undefined
    ? "The authorizer returned no principalId, so no entry of `keys` in api.yaml applies."
    : `The authorizer named the caller ${JSON.stringify(id.slice(0, 100))}: ${listed}.`;
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

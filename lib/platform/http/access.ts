import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Service } from "../naming/names.ts";
import { ApiError } from "./error.ts";
import type { TokenRights, TokenSettings } from "./token.ts";

/** How API Gateway authorizes the callers of an API. */
export const AUTHORIZATIONS = ["api_key", "iam", "lambda"] as const;

export type Authorization = (typeof AUTHORIZATIONS)[number];

/**
 * Returns the role or user that an ARN names, such as `role shop-page of account 123456789012`; undefined for any other
 * ARN. IAM writes a role in two ways: `arn:aws:iam::…:role/<path>/<name>`, and
 * `arn:aws:sts::…:assumed-role/<name>/<session>` for a call with its credentials. The name is unique in an account;
 * the caller that assumes the role chooses the session. Source: "IAM identifiers", IAM User Guide.
 */
export function iamPrincipal(arn: string): string | undefined {
  const [, account, kind, names = ""] =
    /^arn:aws[\w-]*:(?:iam|sts)::(\d{12}):(role|user|assumed-role)\/([\w+=,.@/-]+)$/.exec(arn) ?? [];
  if (kind === undefined) return undefined;
  const parts = names.split("/");
  return kind === "assumed-role"
    ? `role ${parts[0]} of account ${account}`
    : `${kind} ${parts.at(-1)} of account ${account}`;
}

interface EndpointFacts {
  service: Service;
  /** Whether the cluster gets what a key sends: its indexes and scripts are checked. */
  reachesCluster: boolean;
  /** Whether a key can send requests of its own there, so that a key which is limited to templates cannot have it. */
  takesOwnBodies: boolean;
  /** Whether the filter of a token limits what it shows or changes. */
  isFiltered: boolean;
}

const facts = (service: Service, reachesCluster = false, takesOwnBodies = false): EndpointFacts => ({
  ...{ service, reachesCluster, takesOwnBodies },
  isFiltered: !takesOwnBodies,
});

/** The endpoints that a key can be limited to. Each route belongs to one or more of these (`access` in the route tables). */
const ENDPOINT_FACTS = {
  search: facts("search-gateway", true),
  "hybrid-search": facts("search-gateway", true),
  suggest: facts("search-gateway", true),
  "search-events": facts("search-gateway"),
  bulk: facts("search-gateway", true, true),
  "raw-backend": facts("search-gateway", true, true),
  administration: facts("search-gateway", true, true),
  recommend: facts("recommendation"),
  events: facts("recommendation"),
  ingest: { ...facts("recommendation"), isFiltered: false },
  "delete-items": { ...facts("recommendation"), isFiltered: false },
};

export type Endpoint = keyof typeof ENDPOINT_FACTS;

/** The names of all endpoints. */
export const ENDPOINTS = Object.keys(ENDPOINT_FACTS) as Endpoint[];

/** Returns the endpoints of which something is true. */
export const endpointsThat = (isTrue: (facts: EndpointFacts) => boolean): Endpoint[] =>
  ENDPOINTS.filter((name) => isTrue(ENDPOINT_FACTS[name]));

/** The limits of a key that sets none: the cluster's own defaults where it has one. api.yaml says what each limits. */
export const DEFAULT_LIMITS = {
  shards: 10,
  window: 10_000,
  aggregation_size: 10_000,
  aggregation_depth: 5,
  clauses: 1_024,
  rescore_window: 1_000,
  searches: 100,
};

/** How much one request of a key may ask of the cluster. */
export type Limits = typeof DEFAULT_LIMITS;

/** The rights of one key, as `config.json` holds them. */
export interface KeyRules {
  name: string;
  endpoints: Endpoint[];
  /** Names, or prefixes followed by `*`, of the indexes that the key may use. If undefined, every index without a dot. */
  indexes?: string[] | undefined;
  /** The callers whom the rules apply to, unless they are identified by API keys. */
  principals?: string[] | undefined;
  /**
   * Calls that `/raw-backend` lets through: all, or those of rules `METHOD pattern` and the word `recommended`. If undefined,
   * the recommended calls. A key that is not `all` is limited: what it sends is checked.
   */
  raw_backend?: "all" | string[] | undefined;
  /** Whether the key may send scripts. If undefined, only with `raw_backend: "all"`. */
  scripts?: boolean | undefined;
  /** Limits that differ from the default ones. A key with `raw_backend: "all"` has no others. */
  limits?: { [Name in keyof Limits]?: number | undefined } | undefined;
  /** Names of the templates that the key may use. If undefined, it may send searches of its own. */
  templates?: string[] | undefined;
  /** Names of the placements that the key may ask for. If undefined, it may recommend and rank as it likes. */
  placements?: string[] | undefined;
  /** Whether reasons may name what the user of a request did. If undefined, only what the request itself names. */
  user_history?: boolean | undefined;
  /** How tokens of the key are checked. If undefined, it has none. */
  tokens?: TokenSettings | undefined;
  /** The token by which a request's rules are narrower than those of the key. */
  token?: TokenRights | undefined;
}

/** The name of the key that a project has when its configuration lists none. */
export const DEFAULT_KEY = "default";

/** The rules of the only key of a project whose configuration lists none. */
export const UNLIMITED: KeyRules = {
  ...{ name: DEFAULT_KEY, endpoints: [...ENDPOINTS] },
  ...{ raw_backend: "all", user_history: true },
};

/** Describes what a key may do: `search and bulk on shop-*`. */
export function describeKey({ endpoints, indexes }: KeyRules): string {
  return `${words(endpoints)}${indexes === undefined ? "" : ` on ${words(indexes)}`}`;
}

/** Joins names: `a`, `a and b`, `a, b and c`. */
export const words = (list: readonly string[]): string =>
  list.length < 2 ? list.join("") : `${list.slice(0, -1).join(", ")} and ${list.at(-1)}`;

/**
 * Returns the rules of a key as a token narrows them. Throws `unauthorized`, or `forbidden` for what is wider than the
 * key.
 */
export type CheckToken = (key: KeyRules, token: string | undefined) => Promise<KeyRules>;

/** Who calls. Every endpoint gets the rules of the caller with the request. */
export interface Access {
  /**
   * Returns the rules that apply to a request. Throws `forbidden` if its caller has none, `unauthorized` if its token is
   * not valid.
   */
  callerOf: (event: APIGatewayProxyEvent) => KeyRules | Promise<KeyRules>;
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
export function createAccess(
  { keys, authorization = "api_key" }: AccessSettings,
  keyIds = "",
  openTokens: () => Promise<CheckToken> = () => Promise.reject(new Error("no tokens are checked here")),
): Access {
  if (keys === undefined) return OPEN;
  const { idOf, entries } = IDENTITIES[authorization];
  const rulesOf = new Map(entries(keys, keyIds));
  return {
    callerOf: (event) => {
      const id = idOf(event);
      const rules = id === undefined ? undefined : rulesOf.get(id);
      if (!rules) throw new ApiError("forbidden", unknownCaller(authorization, id));
      const token = rules.tokens && bearerOf(event);
      if (!rules.tokens || (token === undefined && !rules.tokens.required)) return rules;
      return openTokens().then((check) => check(rules, token));
    },
  };
}

/** Returns the token that a request has. */
const bearerOf = (event: APIGatewayProxyEvent): string | undefined =>
  Object.entries(event.headers ?? {}).flatMap(([name, value]) =>
    name.toLowerCase() === "authorization" ? (/^bearer +(\S+) *$/i.exec(value ?? "")?.[1] ?? []) : [],
  )[0];

interface Identity {
  /** Returns the caller that API Gateway names in an event. */
  idOf: (event: APIGatewayProxyEvent) => string | undefined;
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

/** Verbs of the limits of a key to names that its configuration lists. */
const LISTS = { template: "send", placement: "ask for" };

/**
 * Throws `forbidden` unless a key may use one of its templates or placements, or is not limited to any; whether another
 * one exists or not. `name` is undefined for a request of the caller's own.
 */
export function requireListed(caller: KeyRules, kind: keyof typeof LISTS, name: string | null | undefined): void {
  const listed = caller[`${kind}s`];
  if (!listed || (name != null && listed.includes(name))) return;
  throw forbidden(
    caller,
    kind,
    `it may only ${LISTS[kind]} the ${kind}${listed.length === 1 ? "" : "s"} ${words(listed)}`,
  );
}

/** Returns the 403 of a call that a rule refuses: it names the key, the rule, and what the key may do. */
export function forbidden(caller: KeyRules, rule: string, reason: string): ApiError {
  return new ApiError(
    "forbidden",
    `The rule "${rule}" refuses this call of the key ${caller.name}: ${reason}. The key may use ${describeKey(caller)}.`,
    { shown: { rule } },
  );
}

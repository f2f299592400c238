import * as v from "valibot";

/** How API Gateway authorizes the callers of an API. */
export const AUTHORIZATIONS = ["api_key", "iam", "lambda"] as const;

export type Authorization = (typeof AUTHORIZATIONS)[number];

/**
 * Returns the role or user that an ARN names, such as `role shop-page of account 123456789012`; undefined for any other
 * ARN. IAM writes a role in two ways: `arn:aws:iam::…:role/<path>/<name>`, and
 * `arn:aws:sts::…:assumed-role/<name>/<session>` for a call with its credentials. The name is unique in an account;
 * whoever assumes the role chooses the session. Source: "IAM identifiers", IAM User Guide.
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

/** What a key can be limited to. Each route belongs to one or more of these (`access` in the route tables). */
export const ENDPOINTS = [
  "search",
  "hybrid-search",
  "search-events",
  "bulk",
  "raw-backend",
  "recommend",
  "events",
  "ingest",
] as const;

export type Endpoint = (typeof ENDPOINTS)[number];

/** What one key may do, as `config.json` holds it. */
export const KeyRules = v.object({
  name: v.string(),
  endpoints: v.array(v.picklist(ENDPOINTS)),
  /** Names, or prefixes followed by `*`, of the indexes that the key may use. If undefined, every index without a dot. */
  indexes: v.optional(v.array(v.string())),
  /** The callers whom the rules apply to, unless they are told by their API keys. */
  principals: v.optional(v.array(v.string())),
});
export type KeyRules = v.InferOutput<typeof KeyRules>;

/** What a function's `config.json` says of its callers. */
export const accessEntries = {
  /** What each key may do. If undefined, every caller may do everything. */
  keys: v.optional(v.array(KeyRules)),
  /** How callers are told apart. By default, by their API keys. */
  authorization: v.optional(v.picklist(AUTHORIZATIONS)),
};

/** The name of the key that a project has when its configuration lists none. */
export const DEFAULT_KEY = "default";

/** The rules of the only key of a project whose configuration lists none. */
export const UNLIMITED: KeyRules = { name: DEFAULT_KEY, endpoints: [...ENDPOINTS] };

/** Describes what a key may do: `search and bulk on shop-*`. */
export function describeKey({ endpoints, indexes }: KeyRules): string {
  return `${words(endpoints)}${indexes === undefined ? "" : ` on ${words(indexes)}`}`;
}

const words = (list: readonly string[]): string =>
  list.length < 2 ? list.join("") : `${list.slice(0, -1).join(", ")} and ${list.at(-1)}`;

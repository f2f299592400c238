import * as v from "valibot";
import {
  AUTHORIZATIONS,
  type Authorization,
  DEFAULT_KEY,
  DEFAULT_LIMITS,
  ENDPOINTS,
  endpointsThat,
  type KeyRules,
  type Limits,
} from "../platform/http/access.ts";
import type { Names, Service } from "../platform/naming/names.ts";
import { type About, arn, flag, integer, list, numberAbove, section, text, textOrList, word } from "./kinds.ts";
import { AliasPattern, Name } from "./names.ts";
import { Tokens } from "./tokens.ts";

/**
 * Far above the usual quota of 10,000 requests a second, which AWS raises on request, so that only typing mistakes exceed
 * it; `plan` compares with the account's. Source: "Amazon API Gateway quotas", API Gateway Developer Guide.
 */
export const MAX_RATE = 1_000_000;

/** Requests a second of an account in most regions. Source: "Amazon API Gateway quotas". */
export const USUAL_RATE = 10_000;

const RULE = /^(\*|GET|HEAD|POST|PUT|PATCH|DELETE) \/\S*$/;

const Rule = text(
  RULE,
  'a method (or *) and a path pattern, such as "DELETE /_snapshot/*"',
  "A method, or `*`, and a path in which `*` stands for any characters.",
);

const AllowEntry = v.pipe(
  v.string(),
  v.check((entry) => entry === "recommended" || RULE.test(entry)),
  v.metadata({
    allowed: 'the word "recommended", or a method (or *) and a path pattern, such as "GET /_cat/indices"',
    description: "The recommended calls, or a method, or `*`, and a path in which `*` stands for any characters.",
  } satisfies About),
);

/** `raw_backend` of api.yaml. */
export const RawBackend = section(
  {
    deny: v.optional(
      textOrList(
        word(["recommended"], "The recommended rules."),
        list(Rule, "Rules.", { max: 200 }),
        'the word "recommended" or a list of rules such as "DELETE /_snapshot/*"',
        "What `/raw-backend` refuses to every key, whatever its `raw_backend` lets through. `recommended`: security, snapshots, secure settings, connectors and notifications, cluster-wide deletes, remote reindex, SQL and PPL, and whatever may read or change a document of an index whose name starts with a dot. Default: nothing.",
      ),
    ),
  },
  "The pass-through to the cluster's own API.",
);

const limit = (key: keyof Limits, max: number, what: string) =>
  v.optional(integer(1, max, `${what} Default: ${DEFAULT_LIMITS[key].toLocaleString("en")}.`));

const KeyLimits = section(
  {
    shards: limit("shards", 1_000, "Primary shards of a new index, and replicas."),
    window: limit(
      "window",
      1_000_000,
      "`from + size` of a search and of the hits inside its hits and aggregations; `k` of a vector query.",
    ),
    aggregation_size: limit(
      "aggregation_size",
      1_000_000,
      "Buckets that one aggregation may return; options of a suggester.",
    ),
    aggregation_depth: limit("aggregation_depth", 50, "Levels of nested aggregations."),
    clauses: limit("clauses", 100_000, "Clauses of all queries in one search."),
    rescore_window: limit("rescore_window", 100_000, "Hits of each shard that a rescorer looks at."),
    searches: limit("searches", 10_000, "Searches of one `_msearch`, and slices of one task."),
  },
  "How much one request may ask of the cluster. A key with `raw_backend: all` has only those that are listed here.",
);

const Key = section(
  {
    name: text(
      /^[a-z][a-z0-9-]{0,31}$/,
      "1 to 32 lower-case letters, digits and hyphens that start with a letter",
      "Name of the key, in logs, metrics, messages and `relevance info`. The key of a project without this section is named `default`: keep an entry of that name to keep that key.",
    ),
    endpoints: list(
      word(ENDPOINTS, "An endpoint."),
      "What the key may call. `administration` is the calls of `relevance index` and `relevance backfill`; `events` is /log-event; `ingest` is /log-event, /update-items and /update-users; `delete-items` is /delete-items; `recommend` is recommendations and ranking; `search-events` is /application/events; the others are the search gateway's endpoints of the same name.",
      { min: 1, max: ENDPOINTS.length },
    ),
    indexes: v.optional(
      list(
        AliasPattern("An index or alias, or all those with a prefix."),
        "Indexes and aliases that the key may use; an alias stands for its indexes. Default: every index whose name does not start with a dot.",
        { min: 1, max: 50 },
      ),
    ),
    principals: v.optional(
      list(
        text(
          /^[\x21-\x7e]{1,256}$/,
          "the ARN of a role or user of IAM, or the principalId that the authorizer returns",
          "A caller.",
        ),
        "Callers whom this entry applies to. Required with `authorization: iam` or `lambda`, and allowed with these alone.",
        { min: 1, max: 50 },
      ),
    ),
    raw_backend: v.optional(
      textOrList(
        word(["all", "recommended"], "Every call, or the recommended ones."),
        list(AllowEntry, "Calls.", { min: 1, max: 200 }),
        'the word "all" or "recommended", or a list of "recommended" and of calls such as "GET /_cat/indices"',
        "What `/raw-backend` lets through for this key; it refuses everything else. `recommended`: documents, searches, mappings, settings of an index, aliases, refresh, analyze, point in time and scroll, the key's own tasks, and `_cat/indices`, `_cat/count` and `_cluster/health` of named indexes, on indexes that the key may use and whose name does not start with a dot. `all`: every call, and none of the limits below. A key with `indexes` has `recommended`. Default: recommended.",
      ),
    ),
    scripts: v.optional(
      flag("Whether the key may send scripts, which can stop the cluster. Default: only with `raw_backend: all`."),
    ),
    limits: v.optional(KeyLimits),
    templates: v.optional(
      list(
        Name("A template of hybrid_search.yaml."),
        "The only searches that the key may send, on `search` and `hybrid-search`; for keys that others can read, as in a web page. Every parameter of these templates must be declared. Default: searches of its own as well.",
        { min: 1, max: 100 },
      ),
    ),
    placements: v.optional(
      list(
        Name("A placement of recommendation.yaml."),
        "The only recommendations that the key may ask for, on `recommend`; for keys that others can read, as in a web page. Default: any for every user and item.",
        { min: 1, max: 100 },
      ),
    ),
    user_history: v.optional(
      flag(
        "Whether `explain` may name what the user of a request viewed or bought, on `recommend`. Whoever has the key can name any user. Default: only items that the request itself names.",
      ),
    ),
    tokens: v.optional(Tokens),
    rate_limit: v.optional(
      numberAbove(0, MAX_RATE, `Requests a second. Default: ${USUAL_RATE} with burst_limit, else the account's limit.`),
    ),
    burst_limit: v.optional(
      integer(1, MAX_RATE, "Requests at once. Default: rate_limit, rounded up, else the account's limit."),
    ),
    daily_quota: v.optional(integer(1, undefined, "Requests a day. Default: no limit.")),
  },
  "One key. It exists in each service of which it may call an endpoint.",
);

/** `authorization` of api.yaml. */
export const AuthorizationWord = word(
  AUTHORIZATIONS,
  "How API Gateway authorizes callers, in both services: by API keys, by IAM (signed requests), or by a Lambda function of yours.",
);

/** `lambda_authorizer` of api.yaml. */
export const LambdaAuthorizer = section(
  {
    function_arn: arn(
      "lambda",
      "function:[\\w-]{1,64}(:[\\w-]{1,128})?",
      "arn:aws:lambda:eu-west-1:123456789012:function:shop-authorizer",
      "Your function, which takes a request and returns a policy and a principalId. A role of the project may call it.",
    ),
    identity_headers: v.optional(
      list(
        text(/^[A-Za-z0-9-]{1,64}$/, "the name of a header", "A header."),
        "Headers that identify a caller. A request that lacks one of them is refused without calling the function.",
        { min: 1, max: 10 },
      ),
      ["authorization"],
    ),
    cache_seconds: v.optional(
      integer(
        0,
        3_600,
        "For how long API Gateway reuses the function's answer for the same headers. The policy must then cover every call that the caller may make.",
      ),
      0,
    ),
  },
  "The function that authorizes callers. Required with `authorization: lambda`, and allowed only with it.",
);

export type LambdaAuthorizer = v.InferOutput<typeof LambdaAuthorizer>;

/** `keys` of api.yaml. The functions get ids and names in an environment variable, so their number is limited. */
export const Keys = list(
  Key,
  "API keys, each with what it may do; with `authorization: iam` or `lambda`, groups of callers. Both services. Default: one key for each service, and every caller may do everything.",
  { min: 1, max: 50 },
);

export type KeyConfig = v.InferOutput<typeof Key>;

/** A key and its limits. */
export type KeyLimits = Pick<KeyConfig, "name" | "rate_limit" | "burst_limit" | "daily_quota">;

/**
 * Returns the rate and the burst of a key that has either. Terraform's provider writes 0 for a half that is left out when
 * it updates a usage plan, and API Gateway then refuses every request. Source: terraform-provider-aws, usage_plan.go.
 */
export function throttleOf({ rate_limit, burst_limit }: Omit<KeyLimits, "name">) {
  if (rate_limit === undefined && burst_limit === undefined) return undefined;
  return {
    rateLimit: rate_limit ?? USUAL_RATE,
    burstLimit: burst_limit ?? Math.max(1, Math.ceil(rate_limit ?? 1)),
  };
}

/** The settings of callers in `api.yaml`. */
export interface CallerConfig {
  authorization: Authorization;
  lambda_authorizer?: LambdaAuthorizer | undefined;
  keys?: readonly KeyConfig[] | undefined;
}

/**
 * Returns the API keys of a service: those that may call one of its endpoints, or the only one, named `default`. None if
 * callers are authorized otherwise.
 */
export function keysOf(
  { authorization, keys, throttle }: CallerConfig & { throttle: Omit<KeyLimits, "name"> },
  service: Service,
): KeyLimits[] {
  if (authorization !== "api_key") return [];
  if (keys === undefined) return [{ name: DEFAULT_KEY, ...throttle }];
  const ofService = endpointsThat((endpoint) => endpoint.service === service);
  return keys.filter(({ endpoints }) => endpoints.some((endpoint) => ofService.includes(endpoint)));
}

/** Returns the keys whose tokens are signed with a secret of their own: all, or those of a service. */
export function keysWithSecrets({ keys = [] }: Pick<CallerConfig, "keys">, service?: Service): readonly KeyConfig[] {
  const ofService = endpointsThat((endpoint) => service === undefined || endpoint.service === service);
  return keys.filter(
    ({ tokens, endpoints }) => tokens && !tokens.issuer && endpoints.some((endpoint) => ofService.includes(endpoint)),
  );
}

/** Returns what the functions need to know of their callers: nothing if all may do everything. */
export function accessSettings(
  { authorization, keys }: CallerConfig,
  names: Pick<Names, "tokenSecret">,
): { keys?: KeyRules[]; authorization?: Authorization } {
  if (keys === undefined) return {};
  const rules = keys.map(
    ({ rate_limit, burst_limit, daily_quota, raw_backend, tokens, ...key }): KeyRules => ({
      ...key,
      ...(tokens && { tokens: { ...tokens, ...(!tokens.issuer && { secret_name: names.tokenSecret(key.name) }) } }),
      ...(raw_backend && { raw_backend: raw_backend === "all" ? "all" : [raw_backend].flat() }),
    }),
  );
  return { keys: rules, ...(authorization !== "api_key" && { authorization }) };
}

/** Returns the names of the headers by which a caller proves who it is, in lower case. */
export function credentialHeaders({ authorization, lambda_authorizer, keys }: CallerConfig): string[] {
  if (authorization === "api_key")
    return ["x-api-key", ...(keys?.some(({ tokens }) => tokens) ? ["authorization"] : [])];
  if (authorization === "iam") return ["authorization", "x-amz-date", "x-amz-security-token", "x-amz-content-sha256"];
  return (lambda_authorizer?.identity_headers ?? []).map((name) => name.toLowerCase());
}

import * as v from "valibot";
import { USER_ID_LOGGING } from "../platform/contract/search.ts";
import { AuthorizationWord, Keys, LambdaAuthorizer, MAX_RATE, RawBackend } from "./access.ts";
import { arn, ec2Id, flag, integer, list, numberAbove, numeric, section, text, word } from "./kinds.ts";

const DOMAIN = /^(?=.{3,253}$)([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/;
const LABELS = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** Ten years, CloudWatch's longest retention. A typing mistake cannot keep logs for a century. */
const MAX_RETENTION_DAYS = 3_653;

/** Far above the usual quota of 1,000 in an account, which AWS raises to tens of thousands. Source: "Lambda quotas". */
const MAX_CONCURRENCY = 100_000;

const Concurrency = (what: string) =>
  section(
    {
      min_capacity: integer(1, MAX_CONCURRENCY, "Minimum number of instances that are kept running."),
      max_capacity: integer(1, MAX_CONCURRENCY, "Maximum number of instances that are kept running."),
      utilization_target: numberAbove(0, 1, "Share of them that should be busy: 0.8 is 80 percent."),
    },
    `Instances of ${what} that are kept running. Default: none.`,
  );

const certificate = (placeholder?: string) =>
  arn(
    "acm",
    "certificate/[\\w-]+",
    "arn:aws:acm:eu-west-1:123456789012:certificate/0a1b2c3d-0000-4000-8000-1a2b3c4d5e6f",
    "TLS certificate of that name, in the project's region.",
    placeholder,
  );

const hostedZone = (description: string) =>
  v.optional(text(/^Z[A-Z0-9]{1,31}$/, "the id of a hosted zone, such as Z0123456789ABCDEFGHIJ", description));

const DomainNameSystem = section(
  {
    domain_name: text(DOMAIN, "a domain name such as example.org", "Custom domain.", "example.com"),
    sub_domain_name: text(
      LABELS,
      "a sub-domain such as search",
      "Sub-domain: the API answers at `sub_domain_name.domain_name`.",
    ),
    certificate_arn: certificate("arn:aws:acm:eu-west-1:000000000000:certificate/00000000-0000-0000-0000-000000000000"),
    hosted_zone_id: hostedZone("Zone of the DNS record. Default: the zone of `domain_name`."),
    create_dns_record: v.optional(flag("Whether the DNS record is created here."), true),
  },
  "The search gateway's own host name. Required with the search gateway; `null` leaves the API at its execute-api URL.",
);

const PersonalizedRanking = section(
  {
    campaign_arn: v.optional(
      arn(
        "personalize",
        "campaign/[A-Za-z0-9][\\w-]{0,62}",
        "arn:aws:personalize:eu-west-1:123456789012:campaign/shop-personalized-ranking",
        "Campaign that ranks hits for a user; its recipe is a personalized ranking. Without it, personalized search is off.",
      ),
    ),
    filter_arn: v.optional(
      arn(
        "personalize",
        "filter/[A-Za-z0-9][\\w-]{0,62}",
        "arn:aws:personalize:eu-west-1:123456789012:filter/not-bought",
        "Filter of the campaign's dataset group, for requests with `personalization_filter_values`.",
      ),
    ),
    weight: v.optional(numeric(0, 1, "Weight of the user's ranking against the search order."), 0.5),
    window: v.optional(integer(1, 500, "Number of best hits that are ranked again."), 100),
    timeout_ms: v.optional(
      integer(50, 10_000, "Milliseconds to wait for the campaign; after that, hits keep the search order."),
      1_000,
    ),
    item_id_field: v.optional(
      text(
        /^[A-Za-z_@][\w.@-]{0,254}$/,
        "_id or the name of a field",
        "Where to find the item's id in a hit: `_id`, or a field of the document.",
      ),
      "_id",
    ),
  },
  "Search results in a user's order.",
);

const HostName = section(
  {
    host_name: text(DOMAIN, "a host name such as recommend.example.org", "Host name of the API."),
    certificate_arn: certificate(),
    hosted_zone_id: hostedZone("Zone in which the DNS record is created. Without it, create the record yourself."),
  },
  "The recommendation service's own host name. Without it, the API stays at its execute-api URL.",
);

const DefaultThrottle = section(
  {
    rate_limit: numberAbove(0, MAX_RATE, "Requests a second."),
    burst_limit: integer(1, MAX_RATE, "Simultaneous requests."),
  },
  "Limits of each whole API, over all keys. Both services. Default: the account's.",
);

const PrivateApi = section(
  {
    vpc_endpoint_ids: list(
      ec2Id("vpce", "a VPC endpoint", "An endpoint."),
      "Interface endpoints of execute-api. Only calls through them are accepted.",
      { min: 1, max: 20 },
    ),
  },
  "Makes both APIs private. Cannot be combined with host names of your own. Without it, the APIs are public, and protected by their `authorization`.",
);

/** conf/api.yaml */
export const ApiSchema = section(
  {
    cloud_watch_role_name: v.optional(
      text(
        /^[\w+=,.@-]{1,64}$/,
        "the name of a role: 1 to 64 letters, digits and +=,.@-_",
        "Role with which API Gateway writes logs. Created if it does not exist. Default: a role of the project.",
      ),
    ),
    domain_name_system: v.optional(v.nullable(DomainNameSystem)),
    recommendation_domain_name: v.optional(HostName),
    execute_api_url: v.optional(
      flag("Whether an API with a host name of its own also answers at its execute-api URL. Both services."),
      true,
    ),
    private_api: v.optional(PrivateApi),
    waf_web_acl_arn: v.optional(
      arn(
        "wafv2",
        "regional/webacl/[\\w-]+/[\\w-]+",
        "arn:aws:wafv2:eu-west-1:123456789012:regional/webacl/shop/0a1b2c3d-0000-4000-8000-1a2b3c4d5e6f",
        "Existing web ACL that filters the requests of both APIs. Default: none.",
      ),
    ),
    default_throttle: v.optional(DefaultThrottle),
    provisioned_concurrency: v.optional(
      section(
        {
          api_router: v.optional(Concurrency("the function that handles API requests")),
          recommendation_api: v.optional(
            Concurrency("the function that handles requests of the recommendation service"),
          ),
          log_handler: v.optional(Concurrency("the function that saves logs")),
        },
        "Instances that are kept running, so that no request waits for a cold start.",
      ),
      {},
    ),
    reserved_concurrency: v.optional(
      section(
        {
          api_router: v.optional(
            integer(1, MAX_CONCURRENCY, "Maximum number of instances of the function that handles API requests."),
          ),
          recommendation_api: v.optional(
            integer(
              1,
              MAX_CONCURRENCY,
              "Maximum number of instances of the function that handles requests of the recommendation service.",
            ),
          ),
        },
        "Maximum concurrent instances, reserved from the account's limit. Default: none.",
      ),
      {},
    ),
    personalized_ranking: v.optional(PersonalizedRanking, {}),
    raw_backend: v.optional(RawBackend, {}),
    logging: v.optional(
      section(
        {
          retention_days: v.optional(integer(1, MAX_RETENTION_DAYS, "Days that saved search logs are kept."), 90),
          user_id: v.optional(
            word(USER_ID_LOGGING, "How user ids are saved: as they are, as a keyed hash, or not at all."),
            "plain",
          ),
          query_text: v.optional(flag("Whether the text of queries is saved."), true),
        },
        "What is saved of search requests.",
      ),
      {},
    ),
    authorization: v.optional(AuthorizationWord, "api_key"),
    lambda_authorizer: v.optional(LambdaAuthorizer),
    keys: v.optional(Keys),
    keys_to: v.optional(
      word(
        ["secretsmanager"],
        "Where `deploy` writes the values of the keys, instead of printing them. Default: nowhere.",
      ),
    ),
    throttle: v.optional(
      section(
        {
          rate_limit: v.optional(numberAbove(0, MAX_RATE, "Requests a second for the API key.")),
          burst_limit: v.optional(integer(1, MAX_RATE, "Simultaneous requests for the API key.")),
          daily_quota: v.optional(integer(1, undefined, "Requests a day for the API key.")),
        },
        "Limits of each API's key, if there are keys and `keys` is absent. Both services. Default: the account's.",
      ),
      {},
    ),
    cors: v.optional(
      section(
        {
          allow_origins: list(
            text(
              /^(\*|https?:\/\/[a-z0-9.-]+(:\d{1,5})?)$/,
              'an origin such as "https://shop.example.org", or "*"',
              "An origin.",
            ),
            "Origins whose pages may call the APIs; `*` alone for any.",
            { min: 1, max: 50 },
          ),
        },
        "Cross-origin calls from browsers. Both services. Default: none.",
      ),
    ),
  },
  "How the APIs are reached, and their limits.",
);

/** conf/api.yaml with its defaults. */
export type Api = v.InferOutput<typeof ApiSchema>;

/** `recommendation_domain_name` of api.yaml. */
export type HostName = v.InferOutput<typeof HostName>;

/** `domain_name_system` of api.yaml. */
export type DomainNameSystem = v.InferOutput<typeof DomainNameSystem>;

import * as assert from "uvu/assert";
import { LIMITS, type Names, namesOf, TRAINING_REPORT } from "../../../../lib/platform/naming/names.ts";
import { etlRun } from "../../../../lib/platform/naming/object-keys.ts";
import { domainSuffixOf } from "../../../../lib/platform/naming/partitions.ts";
import { MODEL_NAMES } from "../../../../lib/settings/embedding-models.ts";
import { suite } from "../../../suite.ts";

const test = suite("naming");

const RECIPES = ["user_personalization", "similar_items", "personalized_ranking"];

const place = { project: "shop", account: "123456789012", region: "eu-west-1" };
const names = namesOf(place);

/** Names with the longest project_name, region and filter name that exist. */
const longest = namesOf({ project: `a${"-b2".repeat(7)}-z`, account: "123456789012", region: "us-isof-south-1" });
const LONG_FILTER = "f".repeat(63);

const FUNCTIONS = [
  "api-router",
  "log-handler",
  "search-events",
  "cluster-scaler",
  "suggestions",
  "recommendation-api",
  "recommendation-log-handler",
  "realtime-sync",
  "personalize-manager",
  "etl",
  "training",
] as const;

/** Every kind of name with its limit and the pattern of its service. */
const KINDS: [kind: string, limit: number, pattern: RegExp, make: (names: Names) => string[]][] = [
  ["functions", LIMITS.lambda, /^[\w-]+$/, (n) => FUNCTIONS.map(n.function)],
  [
    "roles",
    LIMITS.role,
    /^[\w+=,.@-]+$/,
    (n) => [
      ...FUNCTIONS.map(n.functionRole),
      ...(
        [
          "api-gateway-logs",
          "personalize",
          "sagemaker",
          "search-logs-delivery",
          "search-events-delivery",
          "recommendation-logs-delivery",
          "events-delivery",
          "log-subscription",
          "state-machines",
          "training-report",
          "training-events",
          "retraining",
          "search-gateway-authorizer",
          "recommendation-authorizer",
          "scheduler",
          "suggestions-schedule",
        ] as const
      ).map(n.role),
    ],
  ],
  ["the bucket", LIMITS.bucket, /^[a-z0-9][a-z0-9.-]+[a-z0-9]$/, (n) => [n.bucket()]],
  [
    "SageMaker",
    LIMITS.sagemaker,
    /^[a-zA-Z0-9](-*[a-zA-Z0-9])*$/,
    (n) => MODEL_NAMES.flatMap((model) => [n.endpoint(model), n.endpointRevision(model, "x")]),
  ],
  [
    "Personalize",
    LIMITS.personalize,
    /^[a-zA-Z0-9][a-zA-Z0-9\-_]*$/,
    (n) => [
      n.datasetGroup(),
      n.eventTracker(),
      ...["user", "item", "interaction"].flatMap((dataset) => [
        n.dataset(dataset),
        n.schema(dataset, {}),
        n.importJob(dataset, "arn:aws:states:eu-west-1:123456789012:execution:x"),
      ]),
      ...RECIPES.flatMap((recipe) => [n.solution(recipe, {}), n.campaign(recipe)]),
      n.filter(LONG_FILTER, "EXCLUDE"),
      n.filter("category", "EXCLUDE"),
    ],
  ],
  [
    "queues and state machines",
    LIMITS.queue,
    /^[\w-]+$/,
    (n) => [
      n.queue("realtime"),
      n.queue("realtime-dead-letters"),
      n.queue("request-log-failed"),
      n.queue("recommendation-log-failed"),
      ...(["etl", "training", "teardown", TRAINING_REPORT] as const).map(n.stateMachine),
    ],
  ],
  [
    "delivery streams",
    LIMITS.firehose,
    /^[\w.-]+$/,
    (n) => (["search-logs", "search-events", "recommendation-logs", "events"] as const).map(n.stream),
  ],
  [
    "schedules",
    LIMITS.schedule,
    /^[\w.-]+$/,
    (n) => [n.schedule("cluster-scaler"), n.schedule("suggestions"), n.schedule("retraining")],
  ],
  ["rules", LIMITS.rule, /^[\w.-]+$/, (n) => [n.rule(TRAINING_REPORT)]],
  [
    "Glue",
    LIMITS.glue,
    /^[a-z0-9_]+$/,
    (n) => [n.glueDatabase(), n.glueTable("search_logs"), n.glueTable("search_events")],
  ],
  [
    "tables",
    LIMITS.table,
    /^[\w.-]{3,}$/,
    (n) => (["items", "users", "popular-items", "built-in", "training", "ingestion"] as const).map(n.table),
  ],
  [
    "log groups",
    LIMITS.logGroup,
    /^[\w./#-]+$/,
    (n) => [
      ...FUNCTIONS.map(n.functionLogGroup),
      n.accessLogGroup("search-gateway"),
      n.stateMachineLogGroup("training"),
      n.streamLogGroup("events"),
      n.endpointLogGroup("dense_large_en_v1_5"),
    ],
  ],
  [
    "parameters",
    LIMITS.parameter,
    /^\/[\w./-]+$/,
    (n) => [
      n.serviceParameter("recommendation", "api-url"),
      n.userIdKeyParameter(),
      n.tokenSecret("shop-browser"),
      n.apiKeyNumbersParameter("recommendation"),
      n.deploymentsParameter(),
      n.apiKeysSecret(),
      n.eventTrackerParameter(),
      n.campaignParameter("user_personalization"),
      n.filterParameter(LONG_FILTER),
    ],
  ],
  [
    "API Gateway, alarms and the rest",
    LIMITS.alarm,
    /^[\w/-]+$/,
    (n) => [
      n.api("search-gateway"),
      n.apiKey("recommendation", 2),
      n.usagePlan("recommendation", "shop"),
      n.alarm("search-gateway-errors"),
      n.dashboard("search-gateway"),
      n.topic(),
      n.kmsAlias(),
      n.serviceKmsAlias("search-gateway"),
      n.scalingPolicy("dense-large-en-v1-5"),
      n.vpcEndpoint("sagemaker.runtime"),
      n.securityGroup("functions"),
    ],
  ],
];

for (const [kind, limit, pattern, make] of KINDS) {
  test(`${kind} stay within ${limit} characters and their service's pattern`, () => {
    for (const name of [...make(names), ...make(longest)]) {
      assert.ok(name.length <= limit, `${name} has ${name.length} characters`);
      assert.match(name, pattern);
    }
    assert.is(new Set(make(longest)).size, make(longest).length, "two names are the same");
  });
}

test("the table has every kind of name, but for what is made of one: patterns, prefixes, files and ARNs", () => {
  const left = new Set(Object.keys(names));
  const watched = new Proxy(names, {
    get(target, key, receiver) {
      left.delete(String(key));
      return Reflect.get(target, key, receiver);
    },
  });
  for (const [, , , make] of KINDS) make(watched);
  assert.equal(
    [...left].filter((key) => !/(pattern|prefix|state|arn)/i.test(key)),
    ["anyEndpoint", "partition", "logsPrincipal", "viaService"],
  );
});

test("names consist of the project's name and the resource's own", () => {
  assert.is(names.function("api-router"), "shop-api-router");
  assert.is(names.functionRole("api-router"), "shop-api-router-eu-west-1");
  assert.is(names.functionLogGroup("etl"), "/aws/lambda/shop-etl");
  assert.is(names.bucket(), "shop-relevance-123456789012-eu-west-1");
  assert.is(names.glueDatabase(), "shop_relevance");
  assert.is(names.endpoint("dense_large_en_v1_5"), "shop-dense-large-en-v1-5");
  assert.is(names.campaign("personalized_ranking"), "shop-personalized-ranking");
  assert.is(names.serviceParameter("recommendation", "api-url"), "/relevance/shop/recommendation/api-url");
  assert.is(names.apiKey("search-gateway"), "shop-search-gateway-key");
  assert.is(names.apiKey("search-gateway", 2), "shop-search-gateway-key-2");
  assert.is(names.stateKey("filters"), "shop/123456789012-eu-west-1/filters.tfstate");
  assert.is(names.stateFile("filters"), "shop/123456789012-eu-west-1/filters.tfstate");
  assert.is(names.stateKey("filters", "teams/search"), "teams/search/123456789012-eu-west-1/filters.tfstate");
  assert.is(etlRun("abc"), "etl/run=abc/");
});

test("the longest bucket name still ends in account and region", () => {
  assert.match(longest.bucket(), /-123456789012-us-isof-south-1$/);
});

test("an endpoint keeps its name when its model's revision changes, its configuration does not", () => {
  assert.is(names.endpoint("sparse_v3"), "shop-sparse-v3");
  assert.is.not(names.endpointRevision("sparse_v3", "a"), names.endpointRevision("sparse_v3", "b"));
});

test("equal expressions share a filter name, and different ones do not", () => {
  const first = names.filter("category", "INCLUDE ItemID WHERE Items.CATEGORIES IN ($CATEGORY)");
  assert.match(first, /^shop-category-\d{10}$/);
  assert.is(first, names.filter("category", "INCLUDE ItemID WHERE Items.CATEGORIES IN ($CATEGORY)"));
  assert.is.not(first, names.filter("category", "EXCLUDE ItemID WHERE Items.CATEGORIES IN ($CATEGORY)"));
  assert.ok(first.startsWith(names.filterPrefix("category")));
});

test("long filter names with the same beginning stay distinct", () => {
  const [a, b] = [longest.filter(`${LONG_FILTER}a`, "x"), longest.filter(`${LONG_FILTER}b`, "x")];
  assert.is.not(a, b);
  assert.ok(a.startsWith(longest.filterPrefix(`${LONG_FILTER}a`)));
});

test("a solution's name depends on its settings, not on the order of their keys", () => {
  const name = names.solution("similar_items", { a: 1, b: [{ c: 2, d: 3 }] });
  assert.match(name, /^shop-similar-items-[0-9a-f]{8}$/);
  assert.is(name, names.solution("similar_items", { b: [{ d: 3, c: 2 }], a: 1 }));
  assert.is.not(name, names.solution("similar_items", { a: 1, b: [{ c: 2, d: 4 }] }));
  assert.ok(name.startsWith(names.solutionPrefix("similar_items")));
});

test("ARNs have the region's partition", () => {
  assert.is(names.arn("lambda", "function:x"), "arn:aws:lambda:eu-west-1:123456789012:function:x");
  assert.is(names.roleArn("r"), "arn:aws:iam::123456789012:role/r");
  assert.is(namesOf({ ...place, region: "cn-north-1" }).roleArn("r"), "arn:aws-cn:iam::123456789012:role/r");
  assert.is(
    namesOf({ ...place, region: "us-gov-west-1" })
      .bucketArn()
      .split(":")[1],
    "aws-us-gov",
  );
});

test("host names of AWS's services end as their partition's do", () => {
  const regions = ["eu-west-1", "us-gov-west-1", "cn-north-1"];
  assert.equal(regions.map(domainSuffixOf), ["amazonaws.com", "amazonaws.com", "amazonaws.com.cn"]);
});

test.run();

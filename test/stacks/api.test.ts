import * as assert from "uvu/assert";
import * as v from "valibot";
import type { Route } from "../../lib/platform/http/route.ts";
import { apiBody, apiFingerprint, gatewayResponses } from "../../stacks/constructs/api-body.ts";
import { configuration, discoveryOf } from "../fixtures/configurations/configurations.ts";
import { suite } from "../suite.ts";
import { example, ref, synth } from "./support.ts";

const test = suite("stacks: REST API");

const all = example("search-gateway", "all-options");
const minimal = example("search-gateway", "minimal");

interface Method {
  security?: unknown;
  "x-amazon-apigateway-integration": Record<string, unknown>;
}
interface Body {
  paths: Record<string, Record<string, Method>>;
  "x-amazon-apigateway-binary-media-types": string[];
  "x-amazon-apigateway-gateway-responses": Record<
    string,
    { statusCode?: number; responseTemplates: Record<string, string>; responseParameters: Record<string, string> }
  >;
}
const integrationOf = (method?: Method) => method?.["x-amazon-apigateway-integration"] ?? {};
const bodyOf = (stack: typeof all): Body =>
  JSON.parse(stack.resource<{ body: string }>("aws_api_gateway_rest_api", "api").body);
const body = bodyOf(all);

test("has every route, the root and a catch-all path", () => {
  assert.equal(Object.keys(body.paths).sort(), [
    "/",
    "/application/bulk",
    "/application/events",
    "/application/hybrid-search",
    "/application/hybrid-search/candidates",
    "/application/multi-search",
    "/application/search",
    "/application/suggest",
    "/mcp",
    "/raw-backend",
    "/raw-backend/{proxy+}",
    "/{proxy+}",
  ]);
});

test("requires the key for every method but OPTIONS, which only an API with origins answers itself", () => {
  for (const [path, methods] of Object.entries(body.paths)) {
    assert.equal(Object.keys(methods).sort(), ["options", "x-amazon-apigateway-any-method"], path);
    assert.equal(methods["x-amazon-apigateway-any-method"]?.security, [{ api_key: [] }], path);
    assert.equal([methods.options?.security, integrationOf(methods.options).type], [undefined, "mock"], path);
  }
  const methods = Object.values(bodyOf(minimal).paths).flatMap((path) => Object.keys(path));
  assert.equal([...new Set(methods)], ["x-amazon-apigateway-any-method"]);
});

test("calls the alias of the path's function in every other integration", () => {
  const uriOf = (fn: string) =>
    `arn:aws:apigateway:eu-west-1:lambda:path/2015-03-31/functions/arn:aws:lambda:eu-west-1:123456789012:function:all-options-${fn}:live/invocations`;
  for (const [path, methods] of Object.entries(body.paths)) {
    const fn = path === "/application/events" ? "search-events" : "api-router";
    assert.is(integrationOf(methods["x-amazon-apigateway-any-method"]).uri, uriOf(fn), path);
  }
  assert.ok(body.paths["/application/events"]);
});

test("treats bodies as binary", () => {
  assert.equal(body["x-amazon-apigateway-binary-media-types"], ["*/*"]);
});

const REFUSALS: Array<[type: string, status: number | undefined, code: string]> = [
  ["INVALID_API_KEY", 403, "forbidden"],
  ["THROTTLED", 429, "throttled"],
  ["QUOTA_EXCEEDED", 429, "throttled"],
  ["REQUEST_TOO_LARGE", 413, "payload_too_large"],
  ["UNSUPPORTED_MEDIA_TYPE", 415, "unsupported_media_type"],
  ["INTEGRATION_TIMEOUT", 500, "outcome_unknown"],
  ["INTEGRATION_FAILURE", 500, "outcome_unknown"],
  ["MISSING_AUTHENTICATION_TOKEN", 404, "not_found"],
  ["DEFAULT_4XX", undefined, "invalid_request"],
  ["DEFAULT_5XX", 500, "outcome_unknown"],
];

for (const [type, status, code] of REFUSALS) {
  test(`returns ${type} in the gateway's error format`, () => {
    const response = body["x-amazon-apigateway-gateway-responses"][type];
    assert.is(response?.statusCode, status);
    const { error, status: shown } = JSON.parse(response?.responseTemplates["application/json"] ?? "");
    assert.equal([error.code, error.request_id, typeof error.message], [code, "$context.requestId", "string"]);
    assert.is(shown, status);
    assert.is(response?.responseParameters["gatewayresponse.header.x-request-id"], "context.requestId");
  });
}

test("tells throttled callers when to retry", () => {
  const after = (type: string) =>
    body["x-amazon-apigateway-gateway-responses"][type]?.responseParameters["gatewayresponse.header.retry-after"];
  assert.equal([after("THROTTLED"), after("QUOTA_EXCEEDED"), after("INVALID_API_KEY")], ["'1'", "'3600'", undefined]);
});

test("lets pages of allowed origins read its own errors", () => {
  const origin = (origins: string[] | undefined) => {
    const { responseParameters } = gatewayResponses("api_key", origins).THROTTLED as { responseParameters: object };
    return Reflect.get(responseParameters, "gatewayresponse.header.access-control-allow-origin");
  };
  assert.is(origin(undefined), undefined);
  assert.is(origin(["*"]), "'*'");
  assert.is(origin(["https://a.example"]), "'https://a.example'");
  assert.is(origin(["https://a.example", "https://b.example"]), "method.request.header.origin");
});

const BODY = { title: "x", invocationUri: () => "x", schemes: {}, api: { authorization: "api_key" } } as const;
const trigger = (stack: typeof all) =>
  stack.resource<{ triggers: { api: string } }>("aws_api_gateway_deployment", "api-deployment").triggers.api;

test("deploys again when a request's schema changes, although the body does not", () => {
  const route = (schema: v.GenericSchema): Route[] => [
    { methods: ["POST"], path: "/x", family: "x", access: [], summary: "", description: "", request: schema },
  ];
  const fingerprint = (schema: v.GenericSchema) => {
    const changedRoutes = route(schema);
    return apiFingerprint(apiBody({ ...BODY, routes: changedRoutes }), changedRoutes);
  };
  assert.is(fingerprint(v.object({ a: v.string() })), fingerprint(v.object({ a: v.string() })));
  assert.is.not(fingerprint(v.object({ a: v.string() })), fingerprint(v.object({ a: v.number() })));
});

test("does not deploy again when settings outside of the API change", () => {
  const other = example("search-gateway", "all-options", [
    ["api.yaml", ["provisioned_concurrency", "api_router", "max_capacity"], 9],
    ["api.yaml", ["throttle", "rate_limit"], 10],
    ["project.yaml", ["opensearch", "max_bulk_bytes"], 1_000_000],
  ]);
  assert.is(trigger(other), trigger(all));
  const cors = example("search-gateway", "all-options", [["api.yaml", ["cors"], undefined]]);
  assert.is.not(trigger(cors), trigger(all));
});

test("writes an access log in JSON without query strings, as well as metrics and traces", () => {
  const stage = all.resource<{ access_log_settings: { format: string }; xray_tracing_enabled: boolean }>(
    "aws_api_gateway_stage",
    "api-stage",
  );
  const format: Record<string, string> = JSON.parse(stage.access_log_settings.format);
  assert.is(format.path, "$context.path");
  assert.equal(
    Object.values(format).filter((value) => /query|requestOverride|identity\.userAgent/i.test(value)),
    [],
  );
  assert.is(stage.xray_tracing_enabled, true);
  assert.equal(all.resource<{ settings: unknown }>("aws_api_gateway_method_settings", "api-settings").settings, {
    data_trace_enabled: false,
    logging_level: "ERROR",
    metrics_enabled: true,
  });
});

test("sets the usage plan from throttle in api.yaml", () => {
  const plan = (stack: typeof all) => {
    const { throttle_settings, quota_settings } = stack.resource("aws_api_gateway_usage_plan", "usage-plan");
    return [throttle_settings, quota_settings];
  };
  assert.equal(plan(all), [
    { burst_limit: 100, rate_limit: 50 },
    { limit: 1_000_000, period: "DAY" },
  ]);
  assert.equal(plan(minimal), [undefined, undefined]);
});

// The provider writes 0 for a half that is left out, at the first change of the plan.
test("always writes both the rate and the burst of a key that has one of them", () => {
  const written = (throttle: object) =>
    example("search-gateway", "minimal", [["api.yaml", ["throttle"], throttle]]).resource(
      "aws_api_gateway_usage_plan",
      "usage-plan",
    ).throttle_settings;
  assert.equal(written({ rate_limit: 2.5 }), { rate_limit: 2.5, burst_limit: 3 });
  assert.equal(written({ rate_limit: 0.2 }), { rate_limit: 0.2, burst_limit: 1 });
  assert.equal(written({ burst_limit: 7 }), { rate_limit: 10_000, burst_limit: 7 });
  assert.is(written({ daily_quota: 7 }), undefined);
  const keys = [{ name: "shop", endpoints: ["search"], rate_limit: 5 }];
  const named = example("search-gateway", "minimal", [["api.yaml", ["keys"], keys]]);
  assert.equal(named.resource("aws_api_gateway_usage_plan", "usage-plan-shop").throttle_settings, {
    rate_limit: 5,
    burst_limit: 5,
  });
});

test("has a second key during a rotation", () => {
  const config = configuration("minimal");
  const found = discoveryOf(config);
  const discovery = { ...found, apiKeys: { ...found.apiKeys, "search-gateway": [1, 2] } };
  const stack = synth("search-gateway", { config, discovery });
  assert.equal(stack.ids("aws_api_gateway_api_key"), ["api-key-1", "api-key-2"]);
  assert.equal(stack.ids("aws_api_gateway_usage_plan_key"), ["usage-plan-key-1", "usage-plan-key-2"]);
  assert.equal(minimal.ids("aws_api_gateway_api_key"), ["api-key-1"]);
});

const KEYS = [
  { name: "default", endpoints: ["search", "bulk", "raw-backend", "ingest"] },
  {
    name: "shop",
    endpoints: ["search", "recommend"],
    indexes: ["books"],
    rate_limit: 5,
    burst_limit: 9,
    daily_quota: 100,
  },
  { name: "loader", endpoints: ["ingest"] },
];

test("creates a key and a plan for each key of api.yaml, and keeps the addresses of the key default", () => {
  const keyed = example("search-gateway", "minimal", [["api.yaml", ["keys"], KEYS]]);
  assert.equal(keyed.ids("aws_api_gateway_api_key"), ["api-key-1", "api-key-shop-1"]);
  assert.equal(keyed.ids("aws_api_gateway_usage_plan"), ["usage-plan", "usage-plan-shop"]);
  const attributes = ["name", "description"] as const;
  const own = (stack: typeof keyed) => {
    const key = stack.resource("aws_api_gateway_api_key", "api-key-1");
    return [attributes.map((one) => key[one]), stack.resource("aws_api_gateway_usage_plan", "usage-plan")];
  };
  assert.equal(own(keyed), own(minimal));
  const plan = keyed.resource("aws_api_gateway_usage_plan", "usage-plan-shop");
  assert.equal(plan.throttle_settings, { burst_limit: 9, rate_limit: 5 });
  assert.equal(plan.quota_settings, { limit: 100, period: "DAY" });
  const member = keyed.resource("aws_api_gateway_usage_plan_key", "usage-plan-key-shop-1");
  assert.equal(
    [member.key_id, member.usage_plan_id],
    [ref("aws_api_gateway_api_key.api-key-shop-1.id"), ref("aws_api_gateway_usage_plan.usage-plan-shop.id")],
  );
});

test("passes key ids and names to the functions, with two ids for a key that is being rotated", () => {
  const config = configuration("minimal", [["api.yaml", ["keys"], KEYS]]);
  const found = discoveryOf(config);
  const namedKeys = { "search-gateway": { shop: [1, 2] }, recommendation: {} };
  const stack = synth("search-gateway", { config, discovery: { ...found, namedKeys } });
  const variables = (one: typeof stack, fn = "api-router") =>
    one.resource<{ environment: { variables: Record<string, string> } }>("aws_lambda_function", fn).environment
      .variables;
  const id = (key: string) => ref(`aws_api_gateway_api_key.${key}.id`);
  for (const fn of ["api-router", "search-events"]) {
    assert.is(
      variables(stack, fn).API_KEYS,
      `${id("api-key-1")}=default,${id("api-key-shop-1")}=shop,${id("api-key-shop-2")}=shop`,
    );
  }
  assert.is(variables(minimal).API_KEYS, undefined);
});

test("lets API Gateway call the alias of each function from this stage only", () => {
  for (const [id, fn] of [
    ["api-permission", "api-router"],
    ["api-permission-search-events", "search-events"],
  ] as const) {
    const permission = all.resource("aws_lambda_permission", id);
    assert.equal(
      [permission.principal, permission.qualifier, permission.source_arn],
      [
        "apigateway.amazonaws.com",
        ref(`aws_lambda_alias.${fn}-live.name`),
        `${ref("aws_api_gateway_rest_api.api.execution_arn")}/v1/*`,
      ],
    );
  }
});

test("sets TLS 1.2, the certificate and a DNS record for the host name", () => {
  const domain = all.resource("aws_api_gateway_domain_name", "domain-name");
  assert.equal(
    [domain.domain_name, domain.security_policy, domain.regional_certificate_arn],
    [
      "search.example.org",
      "TLS_1_2",
      "arn:aws:acm:eu-west-1:123456789012:certificate/0a1b2c3d-0000-4000-8000-1a2b3c4d5e6f",
    ],
  );
  const record = all.resource("aws_route53_record", "dns-record");
  assert.equal([record.zone_id, record.name], ["Z0123456789ABCDEFGHIJ", "search.example.org"]);
  assert.is(all.output.api_url?.value, "https://search.example.org");
});

test("keeps its own URL without a host name, and creates no DNS record if create_dns_record is false", () => {
  const plain = example("search-gateway", "no-custom-domain");
  assert.equal([plain.ids("aws_api_gateway_domain_name"), plain.ids("aws_route53_record")], [[], []]);
  assert.is(plain.output.api_url?.value, ref("aws_api_gateway_stage.api-stage.invoke_url"));
  const own = example("search-gateway", "minimal", [["api.yaml", ["domain_name_system", "create_dns_record"], false]]);
  assert.equal([own.ids("aws_api_gateway_base_path_mapping"), own.ids("aws_route53_record")], [["base-path"], []]);
});

test.run();

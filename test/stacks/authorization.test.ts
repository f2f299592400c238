// How the APIs authorize their callers: by API keys, by IAM or by the user's own function.
import * as assert from "uvu/assert";
import type { Change } from "../fixtures/configurations/configurations.ts";
import { recommendation } from "../fixtures/configurations/configurations.ts";
import { suite } from "../suite.ts";
import { example, ref, type Stack, synth } from "./support.ts";

const test = suite("stacks: authorization");

const set = (key: string, value: unknown): Change => ["api.yaml", [key], value];
const made = new Map<string, Stack>();
const once =
  (make: (changes: Change[]) => Stack) =>
  (...changes: Change[]) => {
    const id = JSON.stringify([make.toString(), changes]);
    const stack = made.get(id) ?? make(changes);
    made.set(id, stack);
    return stack;
  };
const gateway = once((changes) => example("search-gateway", "minimal", changes));
const service = once((changes) => synth("recommendation", { config: recommendation(changes) }));
const both = (...changes: Change[]) => [gateway(...changes), service(...changes)];

const AUTHORIZER = "arn:aws:lambda:eu-west-1:123456789012:function:shop-authorizer";
const IAM = set("authorization", "iam");
const LAMBDA: Change[] = [set("authorization", "lambda"), set("lambda_authorizer", { function_arn: AUTHORIZER })];
const keysOf = (...principals: string[]) =>
  set("keys", [{ name: "shop", endpoints: ["search", "recommend"], principals }]);

interface Body {
  paths: Record<string, Record<string, { security?: unknown; "x-amazon-apigateway-integration": { type: string } }>>;
  components: { securitySchemes: Record<string, Record<string, unknown>> };
  "x-amazon-apigateway-gateway-responses": Record<
    string,
    { statusCode: number; responseTemplates: Record<string, string> }
  >;
}
const restApi = (stack: Stack) => stack.resource<{ body: string; policy?: string }>("aws_api_gateway_rest_api", "api");
const policyOf = (stack: Stack) => stack.resource<{ policy: string }>("aws_api_gateway_rest_api_policy", "api-policy");
const bodyOf = (stack: Stack): Body => JSON.parse(restApi(stack).body);
const errorOf = (stack: Stack, type: string) => {
  const { statusCode, responseTemplates } = bodyOf(stack)["x-amazon-apigateway-gateway-responses"][type] ?? {};
  return [statusCode, JSON.parse(responseTemplates?.["application/json"] ?? "").error];
};

/** Checks that every method but OPTIONS requires the only scheme of the document. */
function demands(stack: Stack, scheme: string): void {
  const { paths, components } = bodyOf(stack);
  assert.equal(Object.keys(components.securitySchemes), [scheme]);
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { security, "x-amazon-apigateway-integration": integration }] of Object.entries(methods)) {
      if (method === "options") assert.equal([security, integration.type], [undefined, "mock"], path);
      else assert.equal(security, [{ [scheme]: [] }], `${method} ${path}`);
    }
  }
}

const CORS = set("cors", { allow_origins: ["https://a.example", "https://b.example"] });

test("requires the header x-api-key with api_key, the default", () => {
  for (const stack of [...both(CORS), gateway(CORS, set("authorization", "api_key"))]) {
    demands(stack, "api_key");
    const { api_key } = bodyOf(stack).components.securitySchemes;
    assert.equal(api_key, { type: "apiKey", in: "header", name: "x-api-key" });
  }
});

test("requires a signature for every method but OPTIONS with iam", () => {
  for (const stack of both(IAM, CORS)) {
    demands(stack, "sigv4");
    const { sigv4 } = bodyOf(stack).components.securitySchemes;
    assert.is(sigv4?.["x-amazon-apigateway-authtype"], "awsSigv4");
  }
});

test("says with iam that a request has no valid signature, not that its path is unknown", () => {
  for (const stack of both(IAM)) {
    for (const type of ["MISSING_AUTHENTICATION_TOKEN", "ACCESS_DENIED", "INVALID_SIGNATURE", "EXPIRED_TOKEN"]) {
      const [status, { code, message }] = errorOf(stack, type);
      assert.equal([status, code], [403, "forbidden"], type);
      assert.match(message, "no valid signature");
    }
  }
  assert.is(errorOf(gateway(), "MISSING_AUTHENTICATION_TOKEN")[0], 404);
  assert.match(
    errorOf(gateway(...LAMBDA), "UNAUTHORIZED")[1].message,
    "The authorizer does not let this request through",
  );
});

test("calls the function with the identity headers with lambda, and caches only if configured", () => {
  for (const stack of both(...LAMBDA, CORS)) {
    demands(stack, "authorizer");
    const { authorizer } = bodyOf(stack).components.securitySchemes;
    assert.is(authorizer?.["x-amazon-apigateway-authtype"], "custom");
    const role = stack.resource<{ name: string }>("aws_iam_role", "authorizer-role");
    assert.equal(authorizer?.["x-amazon-apigateway-authorizer"], {
      type: "request",
      authorizerUri: `arn:aws:apigateway:eu-west-1:lambda:path/2015-03-31/functions/${AUTHORIZER}/invocations`,
      authorizerCredentials: `arn:aws:iam::123456789012:role/${role.name}`,
      identitySource: "method.request.header.authorization",
      authorizerResultTtlInSeconds: 0,
    });
  }
  const own = { function_arn: `${AUTHORIZER}:live`, identity_headers: ["Cookie", "x-tenant"], cache_seconds: 60 };
  const stack = gateway(["api.yaml", ["authorization"], "lambda"], set("lambda_authorizer", own));
  const { identitySource, authorizerResultTtlInSeconds, authorizerUri } = Object(
    bodyOf(stack).components.securitySchemes.authorizer?.["x-amazon-apigateway-authorizer"],
  );
  assert.equal(
    [identitySource, authorizerResultTtlInSeconds],
    ["method.request.header.Cookie, method.request.header.x-tenant", 60],
  );
  assert.match(String(authorizerUri), `${AUTHORIZER}:live/invocations`);
});

test("lets API Gateway call only the authorizer, before the API exists", () => {
  for (const stack of both(...LAMBDA)) {
    const { Statement } = JSON.parse(
      stack.resource<{ policy: string }>("aws_iam_role_policy", "authorizer-policy").policy,
    );
    assert.equal(
      Statement.map(({ Effect, Action, Resource }: Record<string, unknown>) => [Effect, Action, Resource]),
      [["Allow", ["lambda:InvokeFunction"], [AUTHORIZER]]],
    );
    const { assume_role_policy } = stack.resource<{ assume_role_policy: string }>("aws_iam_role", "authorizer-role");
    assert.equal(JSON.parse(assume_role_policy).Statement[0].Principal, { Service: "apigateway.amazonaws.com" });
    const { depends_on } = stack.resource<{ depends_on: string[] }>("aws_api_gateway_rest_api", "api");
    assert.equal(depends_on, ["aws_iam_role.authorizer-role", "aws_iam_role_policy.authorizer-policy"]);
  }
  for (const stack of both(IAM)) assert.equal(stack.ids("aws_iam_role").includes("authorizer-role"), false);
});

test("creates no API keys and usage plans, and passes no key ids, with iam and lambda", () => {
  const principal = "arn:aws:iam::123456789012:role/shop-page";
  for (const stack of [...both(IAM), ...both(IAM, keysOf(principal)), ...both(...LAMBDA, keysOf("browsers"))]) {
    for (const type of ["aws_api_gateway_api_key", "aws_api_gateway_usage_plan", "aws_api_gateway_usage_plan_key"]) {
      assert.equal(stack.ids(type), [], type);
    }
    assert.not.match(stack.text, "API_KEYS");
    assert.is(stack.output.api_key_ids?.value, "");
  }
});

test("allows the authorization's headers in the response to OPTIONS", () => {
  const headers = (stack: Stack) => {
    const { options } = bodyOf(stack).paths["/{proxy+}"] ?? {};
    return JSON.stringify(options?.["x-amazon-apigateway-integration"]).match(/allow-headers":"'([^']*)'/)?.[1];
  };
  assert.is(headers(gateway(CORS)), "x-api-key, content-type, x-client-id");
  assert.is(
    headers(gateway(CORS, IAM)),
    "authorization, x-amz-date, x-amz-security-token, x-amz-content-sha256, content-type, x-client-id",
  );
  assert.is(headers(gateway(CORS, ...LAMBDA)), "authorization, content-type, x-client-id");
});

const PRIVATE = set("private_api", { vpc_endpoint_ids: ["vpce-0a1b2c3d4e5f67890"] });
const NO_HOST = set("domain_name_system", null);
const root = (account: string) => `arn:aws:iam::${account}:root`;
/** Returns the statements of the API's policy, without the hash of the body in a Sid. */
const statements = (stack: Stack) =>
  JSON.parse(policyOf(stack).policy.replace(/(?<="Sid":"Callers)[0-9a-f]{12}/, "")).Statement;
const EVERY_CALL = `${ref("aws_api_gateway_rest_api.api.execution_arn")}/*`;

test("allows only accounts, never everyone, to call a private API with iam", () => {
  for (const stack of both(PRIVATE, NO_HOST, IAM)) {
    const [allow, deny] = statements(stack);
    assert.equal([allow.Effect, allow.Principal], ["Allow", { AWS: [root("123456789012")] }]);
    assert.equal([deny.Effect, deny.Principal], ["Deny", "*"]);
  }
  assert.is(statements(gateway(PRIVATE, NO_HOST, ...LAMBDA))[0].Principal, "*");
});

test("allows the accounts of its principals and its own with iam", () => {
  const own = "arn:aws:iam::123456789012:role/shop-page";
  const other = "arn:aws:iam::210987654321:user/ada";
  const callers = (Principal: unknown) => ({
    ...{ Sid: "Callers", Effect: "Allow", Principal, Action: "execute-api:Invoke", Resource: EVERY_CALL },
  });
  for (const stack of both(IAM, keysOf(own))) {
    assert.equal(statements(stack), [callers({ AWS: [root("123456789012")] })]);
  }
  for (const stack of both(IAM, keysOf(own, other))) {
    assert.equal(statements(stack), [callers({ AWS: [root("123456789012"), root("210987654321")] })]);
  }
  assert.equal(statements(gateway(...LAMBDA, keysOf(other))), [callers("*")]);
});

// The API's policy counts for OPTIONS, too.
test("lets browsers ask with iam whether they may call, which they do not sign", () => {
  for (const stack of both(IAM, CORS)) {
    const [, preflight, ...others] = statements(stack);
    assert.equal(
      [preflight.Effect, preflight.Principal, preflight.Resource, others],
      ["Allow", "*", `${ref("aws_api_gateway_rest_api.api.execution_arn")}/*/OPTIONS/*`, []],
    );
  }
});

// Issue 49672 of terraform-provider-aws: an imported body removes the policy, and the plan does not show it.
test("writes the policy again when the body changes, and only then", () => {
  assert.is.not(policyOf(gateway(CORS)).policy, policyOf(gateway()).policy);
  const limits = set("throttle", { rate_limit: 10 });
  assert.is(policyOf(gateway(limits)).policy, policyOf(gateway()).policy);
});

// terraform-provider-aws: `policy` of the API is optional and computed, so the earlier one stays if it is left out; and a
// destroyed policy is written back by a changed body, since Terraform destroys it before it updates the API.
test("always has a policy, as a resource of its own", () => {
  for (const stack of [...both(), ...both(IAM), ...both(...LAMBDA), ...both(PRIVATE, NO_HOST)]) {
    assert.is(restApi(stack).policy, undefined);
    const { rest_api_id } = stack.resource("aws_api_gateway_rest_api_policy", "api-policy");
    assert.is(rest_api_id, ref("aws_api_gateway_rest_api.api.id"));
    const { depends_on } = stack.resource("aws_api_gateway_deployment", "api-deployment");
    assert.equal(depends_on, ["aws_api_gateway_rest_api_policy.api-policy"]);
    for (const { Resource } of statements(stack)) assert.is(Resource, EVERY_CALL);
  }
  assert.equal(
    both().map((stack) => statements(stack).map((one: { Sid: string }) => one.Sid)),
    [["Callers"], ["Callers"]],
  );
});

test("deploys the API again when the authorization changes", () => {
  const trigger = (stack: Stack) =>
    stack.resource<{ triggers: { api: string } }>("aws_api_gateway_deployment", "api-deployment").triggers.api;
  const other = keysOf("arn:aws:iam::210987654321:user/ada");
  const stacks = [gateway(), gateway(IAM), gateway(IAM, other), gateway(...LAMBDA)];
  assert.is(new Set(stacks.map(trigger)).size, stacks.length);
});

test("writes the key and the IAM caller to the access log", () => {
  const { access_log_settings } = gateway().resource<{ access_log_settings: { format: string } }>(
    "aws_api_gateway_stage",
    "api-stage",
  );
  const { api_key_id, user_arn } = JSON.parse(access_log_settings.format);
  assert.equal([api_key_id, user_arn], ["$context.identity.apiKeyId", "$context.identity.userArn"]);
});

test("does not change API Gateway's permission to call the function", () => {
  const permission = (stack: Stack) => stack.resource("aws_lambda_permission", "api-permission");
  assert.equal(permission(gateway(IAM)), permission(gateway()));
  assert.is(permission(gateway(...LAMBDA)).source_arn, `${ref("aws_api_gateway_rest_api.api.execution_arn")}/v1/*`);
});

test.run();

import * as assert from "uvu/assert";
import { requestLogFilterPattern, UNREADABLE_LINES } from "../../lib/platform/request-log/kinds.ts";
import { suite } from "../suite.ts";
import { example, ref, type Stack } from "./support.ts";

const test = suite("stacks: functions");

const all = example("search-gateway", "all-options");
const minimal = example("search-gateway", "minimal");

const lambda = (stack: Stack, name: string) => stack.resource("aws_lambda_function", name);

test("deploys the functions that the configuration needs: the scaler only with auto scaling, suggestions only of indexes that have any", () => {
  assert.equal(all.ids("aws_lambda_function"), [
    "api-router",
    "cluster-scaler",
    "log-handler",
    "search-events",
    "suggestions",
  ]);
  assert.equal(minimal.ids("aws_lambda_function"), ["api-router", "log-handler", "search-events"]);
  assert.equal(minimal.ids("aws_scheduler_schedule"), []);
});

test("deploys every function on arm64, traced and published, from the built archive", () => {
  for (const name of all.ids("aws_lambda_function")) {
    const found = lambda(all, name);
    assert.equal(
      [found.architectures, found.tracing_config, found.publish, found.runtime, found.source_code_hash],
      [["arm64"], { mode: "Active" }, true, "nodejs22.x", `hash-of-${name}`],
    );
  }
});

test("writes Lambda's own lines only where something is wrong, and refuses calls of queues without TLS", () => {
  for (const name of all.ids("aws_lambda_function")) {
    const logging = { application_log_level: "INFO", log_format: "JSON", system_log_level: "WARN" };
    assert.equal(lambda(all, name).logging_config, logging, name);
  }
  for (const id of all.ids("aws_sqs_queue")) {
    const { policy } = all.resource<{ policy: string }>("aws_sqs_queue", id);
    const [{ Effect, Action, Condition }] = JSON.parse(policy).Statement;
    assert.equal([Effect, Action, Condition], ["Deny", "sqs:*", { Bool: { "aws:SecureTransport": "false" } }], id);
  }
});

test("refers to archives by a path that does not depend on the checkout's folder", () => {
  assert.match(String(lambda(all, "api-router").filename), /^(\.\.\/)+dist\/functions\/api-router\.zip$/);
  assert.not.match(all.text, process.cwd());
});

test("calls functions only through their aliases", () => {
  assert.equal(
    all.ids("aws_lambda_permission").map((id) => all.resource("aws_lambda_permission", id).qualifier),
    ["api-router", "search-events", "log-handler"].map((name) => ref(`aws_lambda_alias.${name}-live.name`)),
  );
  for (const name of ["cluster-scaler", "suggestions"]) {
    const schedule = all.resource<{ target: { arn: string } }>("aws_scheduler_schedule", `${name}-schedule`);
    assert.is(schedule.target.arn, ref(`aws_lambda_alias.${name}-live.arn`));
  }
  const subscription = all.resource("aws_cloudwatch_log_subscription_filter", "request-log");
  assert.is(subscription.destination_arn, ref("aws_lambda_alias.log-handler-live.arn"));
  assert.is(
    all.resource("aws_lambda_alias", "api-router-live").function_version,
    ref("aws_lambda_function.api-router.version"),
  );
});

// Lambda repeats a failed asynchronous event twice unless told otherwise; the schedule's own retries are another matter.
test("runs a schedule's function once for each event, also if it fails", () => {
  for (const name of ["cluster-scaler", "suggestions"]) {
    const config = all.resource("aws_lambda_function_event_invoke_config", `${name}-retries`);
    const { target } = all.resource<{ target: { retry_policy: Record<string, number> } }>(
      "aws_scheduler_schedule",
      `${name}-schedule`,
    );
    assert.equal([config.maximum_retry_attempts, target.retry_policy.maximum_retry_attempts], [0, 0]);
    assert.is(config.maximum_event_age_in_seconds, target.retry_policy.maximum_event_age_in_seconds);
    assert.equal(
      [config.function_name, config.qualifier],
      ["function_name", "name"].map((attribute) => ref(`aws_lambda_alias.${name}-live.${attribute}`)),
    );
  }
});

test("sets api-router's environment by the authentication, and leaves the region to Lambda", () => {
  const environment = (stack: Stack) =>
    (lambda(stack, "api-router").environment as { variables: Record<string, string> }).variables;
  const OPENSEARCH_NODE = "https://vpc-books-abcdefghijklmnopqrstuvwxyz.eu-west-1.es.amazonaws.com";
  const always = {
    OPENSEARCH_NODE,
    NODE_OPTIONS: "--max-old-space-size=256 --max-semi-space-size=8",
    MALLOC_MMAP_THRESHOLD_: "131072",
  };
  assert.equal(environment(minimal), { OPENSEARCH_AUTH: "none", ...always });
  assert.equal(environment(example("search-gateway", "aws-auth")), { OPENSEARCH_AUTH: "aws", ...always });
  assert.equal(environment(all), {
    OPENSEARCH_AUTH: "basic",
    ...always,
    OPENSEARCH_SECRET_ARN: "arn:aws:secretsmanager:eu-west-1:123456789012:secret:search-master-AbCdEf",
  });
});

test("lets api-router time out before API Gateway does, and runs it in the domain's subnets", () => {
  const router = lambda(all, "api-router");
  assert.is(router.timeout, 28);
  assert.equal(router.vpc_config, {
    security_group_ids: [ref("aws_security_group.functions-group.id")],
    subnet_ids: ["subnet-0a1b2c3d4e5f67890", "subnet-0b1c2d3e4f5a67890"],
  });
  // It calls the cluster as well.
  assert.equal(lambda(all, "suggestions").vpc_config, router.vpc_config);
  // They call only AWS; inside the VPC that would need interface endpoints.
  for (const name of ["log-handler", "cluster-scaler", "search-events"]) {
    assert.is(lambda(all, name).vpc_config, undefined, name);
  }
});

test("removes api-router before the policy and the log group that it needs", () => {
  const needs = lambda(all, "api-router").depends_on as string[];
  assert.ok(needs.includes("aws_iam_role_policy.api-router-network-policy"));
  assert.ok(needs.includes("aws_cloudwatch_log_group.api-router-log"));
});

test("sets provisioned concurrency exactly as in api.yaml, and none without it", () => {
  const target = (name: string) => {
    const { min_capacity, max_capacity, resource_id, depends_on } = all.resource("aws_appautoscaling_target", name);
    return [min_capacity, max_capacity, resource_id, depends_on];
  };
  const name = (fn: string) => `function:all-options-${fn}:${ref(`aws_lambda_alias.${fn}-live.name`)}`;
  const config = (fn: string) => [`aws_lambda_provisioned_concurrency_config.${fn}-provisioned`];
  assert.equal(target("api-router-scaling"), [1, 5, name("api-router"), config("api-router")]);
  assert.equal(target("log-handler-scaling"), [1, 2, name("log-handler"), config("log-handler")]);
  const policy = all.resource<{ target_tracking_scaling_policy_configuration: unknown }>(
    "aws_appautoscaling_policy",
    "log-handler-scaling-policy",
  );
  assert.equal(policy.target_tracking_scaling_policy_configuration, {
    predefined_metric_specification: { predefined_metric_type: "LambdaProvisionedConcurrencyUtilization" },
    target_value: 0.7,
  });
  assert.equal(minimal.ids("aws_lambda_provisioned_concurrency_config"), []);
  assert.equal(minimal.ids("aws_appautoscaling_target"), []);
});

test("leaves the number of provisioned instances to auto scaling", () => {
  const { lifecycle } = all.resource("aws_lambda_provisioned_concurrency_config", "api-router-provisioned");
  assert.equal(lifecycle, { ignore_changes: ["provisioned_concurrent_executions"] });
});

test("changes only one resource when max_capacity changes", () => {
  const changed = example("search-gateway", "all-options", [
    ["api.yaml", ["provisioned_concurrency", "api_router", "max_capacity"], 7],
  ]);
  const differing = (JSON.parse(changed.text) as { resource: Record<string, Record<string, unknown>> }).resource;
  const before = (JSON.parse(all.text) as typeof changed & { resource: typeof differing }).resource;
  const addresses = Object.entries(differing).flatMap(([type, resources]) =>
    Object.entries(resources)
      .filter(([id, attributes]) => JSON.stringify(attributes) !== JSON.stringify(before[type as never]?.[id as never]))
      .map(([id]) => `${type}.${id}`),
  );
  assert.equal(addresses, ["aws_appautoscaling_target.api-router-scaling"]);
});

test("sets reserved concurrency as in api.yaml", () => {
  assert.is(lambda(all, "api-router").reserved_concurrent_executions, 100);
  assert.is(lambda(minimal, "api-router").reserved_concurrent_executions, undefined);
});

test("lets the functions in with one rule on one of the domain's security groups", () => {
  assert.equal(all.ids("aws_vpc_security_group_ingress_rule"), ["domain-ingress"]);
  const rule = all.resource("aws_vpc_security_group_ingress_rule", "domain-ingress");
  assert.equal(
    [rule.security_group_id, rule.referenced_security_group_id, rule.from_port, rule.to_port],
    ["sg-0a1b2c3d4e5f67890", ref("aws_security_group.functions-group.id"), 443, 443],
  );
  const fallback = minimal.resource("aws_vpc_security_group_ingress_rule", "domain-ingress");
  assert.is(fallback.security_group_id, "sg-00000000000000001");
});

test("can leave that rule to the group's owner, and outputs the functions' group", () => {
  const without = example("search-gateway", "all-options", [["project.yaml", ["vpc", "create_domain_ingress"], false]]);
  assert.equal(without.ids("aws_vpc_security_group_ingress_rule"), []);
  assert.is(
    JSON.parse(without.text).output.router_security_group_id.value,
    ref("aws_security_group.functions-group.id"),
  );
});

test("limits the functions to the VPC unless a service is outside of it", () => {
  const target = (stack: Stack) => stack.resource("aws_vpc_security_group_egress_rule", "functions-egress-1").cidr_ipv4;
  assert.is(target(all), "10.20.0.0/16");
  const off = example("search-gateway", "all-options", [["project.yaml", ["vpc", "create_endpoints"], false]]);
  assert.is(target(off), "0.0.0.0/0");
});

test("each rule of a security group has a name, by which deploy finds one that it lost", () => {
  for (const name of ["search-gateway", "foundation"] as const) {
    const stack = example(name, "all-options");
    const rules = ["ingress", "egress"].flatMap((way) => {
      const type = `aws_vpc_security_group_${way}_rule`;
      return stack.ids(type).map((id) => stack.resource<{ tags: { Name: string } }>(type, id).tags.Name);
    });
    assert.ok(rules.length > 0);
    assert.is(new Set(rules).size, rules.length);
    assert.ok(rules.every(Boolean));
  }
});

test("allows an hour to delete the security group and the functions in the VPC", () => {
  const group = all.resource<{ timeouts: unknown }>("aws_security_group", "functions-group");
  assert.equal([group.timeouts, lambda(all, "api-router").timeouts], [{ delete: "60m" }, { delete: "60m" }]);
});

test("encrypts every log group and limits its retention, to three days with the request log", () => {
  const groups = all.ids("aws_cloudwatch_log_group").map((id) => {
    const { retention_in_days, kms_key_id } = all.resource("aws_cloudwatch_log_group", id);
    return [id, retention_in_days, kms_key_id];
  });
  assert.equal(groups.length, 11);
  assert.equal(
    groups.filter(([, , key]) => key !== ref("aws_kms_key.log-key.arn")),
    [],
  );
  assert.equal(
    groups.filter(([, days]) => days !== 30),
    [["api-router-log", 3, ref("aws_kms_key.log-key.arn")]],
  );
});

test("sends only request log lines and errors to log-handler", () => {
  const subscription = all.resource("aws_cloudwatch_log_subscription_filter", "request-log");
  assert.is(subscription.filter_pattern, requestLogFilterPattern("search"));
  assert.is(subscription.log_group_name, ref("aws_cloudwatch_log_group.api-router-log.name"));
});

test("watches log-handler's count of unreadable lines with an alarm", () => {
  const { metric_query } = all.resource("aws_cloudwatch_metric_alarm", "alarm-request-log-unreadable");
  assert.match(JSON.stringify(metric_query), `"metric_name":"${UNREADABLE_LINES}"`);
});

test.run();

// Every call of Terraform's provider is in the printed policies, on the resource that it is for, whatever the configuration.
import * as assert from "uvu/assert";
import { policiesOf } from "../../../cli/permissions/policies.ts";
import { actionsIn, PROVIDER_CALLS, words } from "../../../cli/permissions/resources.ts";
import type { StackResources } from "../../../lib/infrastructure/stack-resources.ts";
import { namesOf } from "../../../lib/platform/naming/names.ts";
import type { Configuration } from "../../../lib/settings/configuration.ts";
import { sampleStacks } from "../../../stacks/sample-stacks.ts";
import {
  type Change,
  configuration,
  recommendation as recommendationAlone,
} from "../../fixtures/configurations/configurations.ts";
import { fullConfiguration } from "../../fixtures/configurations/every-option.ts";
import { allPairs, type Row } from "../../pairs/array.ts";
import { suite } from "../../suite.ts";

const test = suite("the provider's calls");

const ACCOUNT = "123456789012";
const REGION = "eu-west-1";
const OWN_KEY = `arn:aws:kms:${REGION}:${ACCOUNT}:key/0a1b2c3d-0000-4000-8000-1a2b3c4d5e6f`;

/** The services with the models that each has: one on SageMaker; scaled ones, some on Bedrock; none. */
const BASES = {
  gateway: (changes: readonly Change[]) => configuration("minimal", changes),
  "gateway with more models": (changes: readonly Change[]) => configuration("all-options", changes),
  "recommendation service": recommendationAlone,
  "both services": (changes: readonly Change[]) => fullConfiguration("both services", undefined, changes),
};
const DIMENSIONS = {
  base: Object.keys(BASES) as (keyof typeof BASES)[],
  authorization: ["api_key", "iam", "lambda"],
  api: ["public", "private"],
  key: ["of the project", "aws.kms_key_arn"],
} as const;

const api = (path: string, value: unknown): Change => ["api.yaml", [path], value];

type Case = Row<typeof DIMENSIONS>;

function configurationOf({ base, authorization, api: reach, key }: Case): Configuration {
  const changes: Change[] = [["project.yaml", ["terraform"], undefined]];
  if (key === "aws.kms_key_arn") changes.push(["project.yaml", ["aws", "kms_key_arn"], OWN_KEY]);
  else changes.push(["project.yaml", ["aws", "kms_key_arn"], undefined]);
  if (authorization !== "api_key") {
    const principals = authorization === "iam" ? [`arn:aws:iam::${ACCOUNT}:role/shop`] : ["shop"];
    changes.push(
      ...[api("authorization", authorization), api("throttle", undefined), api("default_throttle", undefined)],
      // The rules of conf/ name this key.
      api("keys", [
        { name: "shop-browser", endpoints: base === "recommendation service" ? ["events"] : ["search"], principals },
      ]),
    );
    const function_arn = `arn:aws:lambda:${REGION}:${ACCOUNT}:function:authorizer`;
    if (authorization === "lambda") changes.push(api("lambda_authorizer", { function_arn }));
  }
  if (reach === "private")
    changes.push(
      api("private_api", { vpc_endpoint_ids: ["vpce-0a1b2c3d4e5f67890"] }),
      ...[api("domain_name_system", null), api("recommendation_domain_name", undefined)],
      api("execute_api_url", undefined),
    );
  return BASES[base](changes);
}

const CASES = allPairs(DIMENSIONS, [], { seed: 1 }).map((row) => {
  const config = configurationOf(row);
  return { name: Object.values(row).join(", "), config, stacks: sampleStacks(config) };
});

/** The resource of a type's calls after the account, with its arguments; those without a row have an id that AWS chooses. */
const RESOURCES: Readonly<Record<string, string>> = {
  aws_cloudwatch_dashboard: "dashboard/{dashboard_name}",
  aws_cloudwatch_event_rule: "rule/{name}",
  aws_cloudwatch_event_target: "rule/{rule}",
  aws_cloudwatch_log_group: "log-group:{name}",
  aws_cloudwatch_log_stream: "log-group:{log_group_name}:log-stream:{name}",
  aws_cloudwatch_log_subscription_filter: "log-group:{log_group_name}",
  aws_cloudwatch_metric_alarm: "alarm:{alarm_name}",
  aws_dynamodb_table: "table/{name}",
  aws_glue_catalog_database: "database/{name}",
  aws_glue_catalog_table: "table/{database_name}/{name}",
  aws_iam_role: "role/{name}",
  aws_iam_role_policy: "role/{role}",
  aws_iam_role_policy_attachment: "role/{role}",
  aws_kinesis_firehose_delivery_stream: "deliverystream/{name}",
  aws_kms_alias: "{name}",
  aws_kms_key: "key/0a1b2c3d",
  aws_lambda_alias: "function:{function_name}",
  aws_lambda_event_source_mapping: "event-source-mapping:0a1b2c3d",
  aws_lambda_function: "function:{function_name}",
  aws_lambda_function_event_invoke_config: "function:{function_name}",
  aws_lambda_invocation: "function:{function_name}:{qualifier}",
  aws_lambda_permission: "function:{function_name}",
  aws_lambda_provisioned_concurrency_config: "function:{function_name}",
  aws_route53_record: "hostedzone/{zone_id}",
  aws_s3_bucket: "{bucket}",
  aws_sagemaker_endpoint: "endpoint/{name}",
  aws_sagemaker_endpoint_configuration: "endpoint-config/{name}",
  aws_sagemaker_model: "model/{name}",
  aws_scheduler_schedule: "schedule/default/{name}",
  aws_secretsmanager_secret: "secret:{name}-AbCdEf",
  aws_security_group: "security-group/sg-0a1b",
  aws_sfn_state_machine: "stateMachine:{name}",
  aws_sns_topic: "{name}",
  aws_sqs_queue: "{name}",
  aws_vpc_endpoint: "vpc-endpoint/vpce-0a1b",
  aws_vpc_security_group_egress_rule: "security-group/sg-0a1b",
  aws_vpc_security_group_ingress_rule: "security-group/sg-0a1b",
};

/** Actions without a resource, or on another than that of their type. */
const OTHERWISE: readonly [RegExp, string][] = [
  [/^lambda:\w+EventSourceMapping$|:CreateLogDelivery$|^ec2:Describe|^kms:(CreateKey|List)|^route53:GetChange$/, "*"],
  [/^ec2:\w+NetworkInterface$/, `arn:aws:ec2:${REGION}:${ACCOUNT}:network-interface/eni-0a1b`],
  [/:AssociateVPCWithHostedZone$/, "*"],
  [/^wafv2:\w+ociateWebACL$/, `arn:aws:apigateway:${REGION}::/restapis/a1b2c3/stages/v1`],
];

const nameIn = (attributes: Readonly<Record<string, unknown>>) =>
  String(attributes.name ?? attributes.function_name ?? attributes.bucket);

/** Returns a text with the names of the resources of a stack in place of Terraform's references to them. */
function resolved(text: string, stack: StackResources): string {
  return text.replaceAll(/\$\{(\w+)\.([\w-]+)\.(\w+)\}/g, (whole, type, id, attribute) => {
    const found = stack[type]?.[id];
    return found ? resolved(String(found[attribute] ?? nameIn(found)), stack) : whole;
  });
}

/** Returns an ARN that a call is for; `*` if its action has no resource, or one whose id is not known. */
function resourceOf(
  action: string,
  type: string,
  attributes: Readonly<Record<string, unknown>>,
  stack: StackResources,
): string {
  const service = action.split(":")[0] ?? "";
  if (service === "apigateway") return `arn:aws:apigateway:${REGION}::/restapis/a1b2c3`;
  const path = RESOURCES[type.startsWith("aws_s3_") ? "aws_s3_bucket" : type];
  const otherwise = OTHERWISE.find(([pattern]) => pattern.test(action));
  if (path === undefined || otherwise) return otherwise?.[1] ?? "*";
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => resolved(String(attributes[name]), stack));
  const place = { iam: `:${ACCOUNT}`, route53: ":", s3: ":" }[service] ?? `${REGION}:${ACCOUNT}`;
  return `arn:aws:${service}:${service === "cloudwatch" && type.endsWith("dashboard") ? `:${ACCOUNT}` : place}:${filled}`;
}

interface Statement {
  Action: string[];
  Resource: string[];
}

const matches = (pattern: string, text: string) =>
  new RegExp(`^${pattern.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*")}$`).test(text);

/** Returns the calls for the resources of a configuration that its policies of `plan` and `deploy` do not allow. */
function refused(config: Configuration, stacks: readonly StackResources[]): string[] {
  const { project_name: project, aws } = config.project;
  const names = namesOf({ project, account: ACCOUNT, region: REGION, rolePath: aws.role_path });
  const statements = policiesOf(config, names, stacks)
    .filter(({ work }) => work === "plan" || work === "deploy")
    .flatMap(({ document }): Statement[] => JSON.parse(document).Statement);
  const missing = new Set<string>();
  for (const stack of stacks)
    for (const [type, byId] of Object.entries(stack))
      for (const attributes of Object.values(byId))
        for (const action of actionsFor(type, attributes)) {
          const resource = resourceOf(action, type, attributes, stack).replace(
            ":role/",
            `:role${aws.role_path ?? "/"}`,
          );
          const isAllowed = statements.some(
            (one) =>
              one.Action.some((pattern) => matches(pattern, action)) &&
              one.Resource.some((pattern) => matches(pattern, resource)),
          );
          if (!isAllowed) missing.add(`${type}: ${action} on ${resource}`);
        }
  return [...missing];
}

/** Returns the actions that create, read, change, tag, untag and delete a resource with these arguments. */
function actionsFor(type: string, attributes: Readonly<Record<string, unknown>>): string[] {
  const { read = "", create = "", update = {}, tag = "", untag = "", delete: remove = "" } = PROVIDER_CALLS[type] ?? {};
  const updates = Object.entries(update)
    .filter(([, names]) => words(names).some((name) => attributes[name] !== undefined && attributes[name] !== false))
    .map(([actions]) => actions);
  return [read, create, ...updates, tag, untag, remove].flatMap(actionsIn);
}

test("are allowed on the resources that they are for, with every pair of authorization, API, KMS key, models and services", () => {
  assert.ok(CASES.length >= 12);
  for (const { name, config, stacks } of CASES) assert.equal(refused(config, stacks), [], name);
});

test("are known for exactly the types of resources in the stacks", () => {
  const types = new Set(everyStack().flatMap((stack) => Object.keys(stack)));
  assert.equal(Object.keys(PROVIDER_CALLS).sort(), [...types].sort());
});

test("are known for each argument that the stacks set, and for no others", () => {
  const set = new Map<string, Set<string>>();
  for (const stack of everyStack())
    for (const [type, byId] of Object.entries(stack))
      for (const attributes of Object.values(byId))
        set.set(type, new Set([...(set.get(type) ?? []), ...Object.keys(attributes)]));
  for (const [type, { update = {}, fixed = "" }] of Object.entries(PROVIDER_CALLS)) {
    // `tags` has calls of its own, and the others are Terraform's, not AWS's.
    const others = ["//", "depends_on", "lifecycle", "tags", "timeouts"];
    const found = [...(set.get(type) ?? [])].filter((one) => !others.includes(one));
    assert.equal([...Object.values(update), fixed].flatMap(words).sort(), found.sort(), type);
  }
});

test("create and delete each resource, but a setting of the account, and remove each tag that they set", () => {
  for (const [type, { create, delete: remove, tag, untag }] of Object.entries(PROVIDER_CALLS)) {
    if (type !== "aws_api_gateway_account") assert.ok(create && remove, type);
    assert.is(tag === undefined, untag === undefined, type);
  }
});

test("include those that change a description, detach an interface and look at your key", () => {
  const actions = (name: string) => {
    const { config, stacks } = CASES.find((one) => one.name.includes(name)) ?? { config: undefined, stacks: [] };
    assert.ok(config);
    const { project_name: project, aws } = config.project;
    const names = namesOf({ project, account: ACCOUNT, region: REGION, rolePath: aws.role_path });
    return policiesOf(config, names, stacks).flatMap(({ document }) =>
      (JSON.parse(document).Statement as Statement[]).flatMap(({ Action }) => Action),
    );
  };
  const project = actions("of the project");
  for (const one of ["iam:UpdateRoleDescription", "kms:UpdateKeyDescription"]) assert.ok(project.includes(one), one);
  assert.ok(actions("aws.kms_key_arn").includes("kms:DescribeKey"));
  for (const one of ["ec2:DetachNetworkInterface", "ec2:DeleteNetworkInterface"])
    assert.ok(actions("gateway with more models").includes(one), one);
});

const everyStack = () => [
  ...CASES.flatMap(({ stacks }) => stacks),
  ...sampleStacks(fullConfiguration("both services, private, for callers of IAM")),
];

test.run();

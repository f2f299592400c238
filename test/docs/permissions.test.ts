import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { synthesize } from "../../stacks/synthesize.ts";
import { configuration, discoveryOf } from "../fixtures/configurations/configurations.ts";
import { printedPolicies } from "../fixtures/deployer.ts";
import { fullExample, valid } from "../lib/config/example.ts";
import { ARTIFACTS } from "../stacks/support.ts";
import { suite } from "../suite.ts";

const test = suite("permissions in docs/guides/deploy.md");

const [read = "", deploy = ""] = printedPolicies();
const actionsOf = (policy: string) =>
  (JSON.parse(policy) as { Statement: { Action: string | string[] }[] }).Statement.flatMap(({ Action }) => Action);
const deploying = actionsOf(deploy);

/** The action that creates a resource of a type. Source: the provider's code. */
const MADE_BY: Readonly<Record<string, string>> = {
  aws_api_gateway_account: "apigateway:PATCH",
  aws_api_gateway_api_key: "apigateway:POST",
  aws_api_gateway_base_path_mapping: "apigateway:POST",
  aws_api_gateway_deployment: "apigateway:POST",
  aws_api_gateway_domain_name: "apigateway:POST",
  aws_api_gateway_method_settings: "apigateway:PATCH",
  aws_api_gateway_rest_api: "apigateway:PUT",
  aws_api_gateway_stage: "apigateway:POST",
  aws_api_gateway_usage_plan: "apigateway:POST",
  aws_api_gateway_usage_plan_key: "apigateway:POST",
  aws_appautoscaling_policy: "application-autoscaling:PutScalingPolicy",
  aws_appautoscaling_target: "application-autoscaling:RegisterScalableTarget",
  aws_cloudwatch_dashboard: "cloudwatch:PutDashboard",
  aws_cloudwatch_event_rule: "events:PutRule",
  aws_cloudwatch_event_target: "events:PutTargets",
  aws_cloudwatch_log_group: "logs:CreateLogGroup",
  aws_cloudwatch_log_stream: "logs:CreateLogStream",
  aws_cloudwatch_log_subscription_filter: "logs:PutSubscriptionFilter",
  aws_cloudwatch_metric_alarm: "cloudwatch:PutMetricAlarm",
  aws_dynamodb_table: "dynamodb:CreateTable",
  aws_glue_catalog_database: "glue:CreateDatabase",
  aws_glue_catalog_table: "glue:CreateTable",
  aws_iam_role: "iam:CreateRole",
  aws_iam_role_policy: "iam:PutRolePolicy",
  aws_iam_role_policy_attachment: "iam:AttachRolePolicy",
  aws_kinesis_firehose_delivery_stream: "firehose:CreateDeliveryStream",
  aws_kms_alias: "kms:CreateAlias",
  aws_kms_key: "kms:CreateKey",
  aws_lambda_alias: "lambda:CreateAlias",
  aws_lambda_event_source_mapping: "lambda:CreateEventSourceMapping",
  aws_lambda_function: "lambda:CreateFunction",
  aws_lambda_invocation: "lambda:InvokeFunction",
  aws_lambda_permission: "lambda:AddPermission",
  aws_lambda_provisioned_concurrency_config: "lambda:PutProvisionedConcurrencyConfig",
  aws_route53_record: "route53:ChangeResourceRecordSets",
  aws_s3_bucket: "s3:CreateBucket",
  aws_s3_bucket_lifecycle_configuration: "s3:PutLifecycleConfiguration",
  aws_s3_bucket_ownership_controls: "s3:PutBucket*",
  aws_s3_bucket_policy: "s3:PutBucket*",
  aws_s3_bucket_public_access_block: "s3:PutBucket*",
  aws_s3_bucket_server_side_encryption_configuration: "s3:PutEncryptionConfiguration",
  aws_s3_bucket_versioning: "s3:PutBucket*",
  aws_sagemaker_endpoint: "sagemaker:CreateEndpoint",
  aws_sagemaker_endpoint_configuration: "sagemaker:CreateEndpointConfig",
  aws_sagemaker_model: "sagemaker:CreateModel",
  aws_scheduler_schedule: "scheduler:CreateSchedule",
  aws_secretsmanager_secret: "secretsmanager:CreateSecret",
  aws_security_group: "ec2:CreateSecurityGroup",
  aws_sfn_state_machine: "states:CreateStateMachine",
  aws_sns_topic: "sns:CreateTopic",
  aws_sqs_queue: "sqs:CreateQueue",
  aws_wafv2_web_acl_association: "wafv2:AssociateWebACL",
  aws_vpc_endpoint: "ec2:CreateVpcEndpoint",
  aws_vpc_security_group_egress_rule: "ec2:AuthorizeSecurityGroupEgress",
  aws_vpc_security_group_ingress_rule: "ec2:AuthorizeSecurityGroupIngress",
};

/** Returns the types of all resources that any stack can have. */
function typesOfStacks(): string[] {
  const folder = mkdtempSync(join(tmpdir(), "permissions-"));
  try {
    const configs = [configuration("all-options"), valid(fullExample())];
    const directories = configs.flatMap((config, index) => {
      const outdir = join(folder, String(index));
      const stacks = synthesize({ config, discovery: discoveryOf(config), artifacts: ARTIFACTS, outdir });
      return stacks.map(({ directory }) => directory);
    });
    const types = directories.flatMap((directory) =>
      Object.keys(JSON.parse(readFileSync(join(directory, "cdk.tf.json"), "utf8")).resource),
    );
    return [...new Set(types)].sort();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("this test knows exactly the resource types of the stacks", () => {
  assert.equal(Object.keys(MADE_BY).sort(), typesOfStacks());
});

test("the second policy allows the action that creates a resource of each type", () => {
  const missing = Object.entries(MADE_BY).filter(([, action]) => !deploying.includes(action));
  assert.equal(missing, []);
});

test("no action is listed twice, in one policy or both", () => {
  const actions = [...actionsOf(read), ...deploying];
  // Both the state and the project's bucket need these.
  const often = actions.filter((action, index) => actions.indexOf(action) !== index);
  assert.equal([...new Set(often)].sort(), ["s3:DeleteObject", "s3:GetObject", "s3:PutObject"]);
});

test("each policy is short enough to be attached", () => {
  // IAM counts 6,144 characters without white space. Source: "IAM and AWS STS quotas".
  for (const policy of printedPolicies()) assert.ok(policy.replaceAll(/\s/g, "").length <= 6_144);
});

test.run();

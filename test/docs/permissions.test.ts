import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as assert from "uvu/assert";
import { synthesize } from "../../stacks/synthesize.ts";
import { configuration, discoveryOf } from "../fixtures/configurations/configurations.ts";
import { fullExample, valid } from "../lib/config/example.ts";
import { ARTIFACTS } from "../stacks/support.ts";
import { suite } from "../suite.ts";

const test = suite("permissions in docs/guides/deploy.md");

const guide = readFileSync("docs/guides/deploy.md", "utf8");
const [, section = ""] = guide.split("\n## Permissions\n");

/** The actions that deploy and remove, by the first cell of their row. */
const rows = new Map(
  [...section.matchAll(/^\| ([^|]+) \| [^|]* \| ([^|]*) \|$/gm)].map(([, service = "", actions = ""]) => [
    service,
    [...actions.matchAll(/`(?:\w+:)?(\w+\*?)`/g)].map(([, action = ""]) => action),
  ]),
);

/** Row and action that a resource of a type is made with. Source: the provider's code. */
const MADE_BY: Readonly<Record<string, readonly [row: string, action: string]>> = {
  aws_api_gateway_account: ["API Gateway", "PATCH"],
  aws_api_gateway_api_key: ["API Gateway", "POST"],
  aws_api_gateway_base_path_mapping: ["API Gateway", "POST"],
  aws_api_gateway_deployment: ["API Gateway", "POST"],
  aws_api_gateway_domain_name: ["API Gateway", "POST"],
  aws_api_gateway_method_settings: ["API Gateway", "PATCH"],
  aws_api_gateway_rest_api: ["API Gateway", "PUT"],
  aws_api_gateway_stage: ["API Gateway", "POST"],
  aws_api_gateway_usage_plan: ["API Gateway", "POST"],
  aws_api_gateway_usage_plan_key: ["API Gateway", "POST"],
  aws_appautoscaling_policy: ["Application Auto Scaling", "PutScalingPolicy"],
  aws_appautoscaling_target: ["Application Auto Scaling", "RegisterScalableTarget"],
  aws_cloudwatch_dashboard: ["CloudWatch, Logs", "PutDashboard"],
  aws_cloudwatch_event_rule: ["EventBridge", "PutRule"],
  aws_cloudwatch_event_target: ["EventBridge", "PutTargets"],
  aws_cloudwatch_log_group: ["CloudWatch, Logs", "CreateLogGroup"],
  aws_cloudwatch_log_stream: ["CloudWatch, Logs", "CreateLogStream"],
  aws_cloudwatch_log_subscription_filter: ["CloudWatch, Logs", "PutSubscriptionFilter"],
  aws_cloudwatch_metric_alarm: ["CloudWatch, Logs", "PutMetricAlarm"],
  aws_dynamodb_table: ["DynamoDB", "CreateTable"],
  aws_glue_catalog_database: ["Firehose, Glue", "CreateDatabase"],
  aws_glue_catalog_table: ["Firehose, Glue", "CreateTable"],
  aws_iam_role: ["IAM", "CreateRole"],
  aws_iam_role_policy: ["IAM", "PutRolePolicy"],
  aws_iam_role_policy_attachment: ["IAM", "AttachRolePolicy"],
  aws_kinesis_firehose_delivery_stream: ["Firehose, Glue", "CreateDeliveryStream"],
  aws_kms_alias: ["KMS", "CreateAlias"],
  aws_kms_key: ["KMS", "CreateKey"],
  aws_lambda_alias: ["Lambda", "CreateAlias"],
  aws_lambda_event_source_mapping: ["Lambda", "CreateEventSourceMapping"],
  aws_lambda_function: ["Lambda", "CreateFunction"],
  aws_lambda_invocation: ["Lambda", "InvokeFunction"],
  aws_lambda_permission: ["Lambda", "AddPermission"],
  aws_lambda_provisioned_concurrency_config: ["Lambda", "PutProvisionedConcurrencyConfig"],
  aws_route53_record: ["ACM, Route 53", "ChangeResourceRecordSets"],
  aws_s3_bucket: ["S3", "CreateBucket"],
  aws_s3_bucket_lifecycle_configuration: ["S3", "PutLifecycleConfiguration"],
  aws_s3_bucket_ownership_controls: ["S3", "PutBucket*"],
  aws_s3_bucket_policy: ["S3", "PutBucket*"],
  aws_s3_bucket_public_access_block: ["S3", "PutBucket*"],
  aws_s3_bucket_server_side_encryption_configuration: ["S3", "PutEncryptionConfiguration"],
  aws_s3_bucket_versioning: ["S3", "PutBucket*"],
  aws_sagemaker_endpoint: ["SageMaker", "CreateEndpoint"],
  aws_sagemaker_endpoint_configuration: ["SageMaker", "CreateEndpointConfig"],
  aws_sagemaker_model: ["SageMaker", "CreateModel"],
  aws_scheduler_schedule: ["EventBridge Scheduler", "CreateSchedule"],
  aws_secretsmanager_secret: ["Secrets Manager", "CreateSecret"],
  aws_security_group: ["EC2", "CreateSecurityGroup"],
  aws_sfn_state_machine: ["Step Functions", "CreateStateMachine"],
  aws_sns_topic: ["SNS", "CreateTopic"],
  aws_sqs_queue: ["SQS", "CreateQueue"],
  aws_wafv2_web_acl_association: ["WAF", "AssociateWebACL"],
  aws_vpc_endpoint: ["EC2", "CreateVpcEndpoint"],
  aws_vpc_security_group_egress_rule: ["EC2", "AuthorizeSecurityGroupEgress"],
  aws_vpc_security_group_ingress_rule: ["EC2", "AuthorizeSecurityGroupIngress"],
};

/** Types of all resources that any stack can have. */
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

test("every type of resource that a stack has is known here, and no other", () => {
  assert.equal(Object.keys(MADE_BY).sort(), typesOfStacks());
});

test("the action that makes a resource is in the row of its service, for each type", () => {
  const missing = Object.entries(MADE_BY).filter(([, [row, action]]) => !rows.get(row)?.includes(action));
  assert.equal(missing, []);
});

test("what the tool itself calls is there: configuration files, the key of user ids, parameters, training", () => {
  for (const [row, action] of [
    ["S3", "PutObject"],
    ["S3", "DeleteObject"],
    ["Secrets Manager", "PutSecretValue"],
    ["Systems Manager", "PutParameter"],
    ["Step Functions", "StartExecution"],
  ] as const) {
    assert.ok(rows.get(row)?.includes(action), `${row} ${action}`);
  }
});

test.run();

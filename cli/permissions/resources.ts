/** Statements that a deployer's actions on resources belong to; `read` is what a plan needs too. */
export type Statements = Readonly<Partial<Record<"read" | WritingSid, readonly string[]>>>;

/** Sids of the statements that deploy and remove. */
export type WritingSid =
  | "Roles"
  | "ServiceLinkedRoles"
  | "Apis"
  | "Unnamed"
  | "UseTheKeys"
  | "Bucket"
  | "Functions"
  | "MakeWhatIsInPersonalizeAndProbe"
  | "Models"
  | "Observability"
  | "Data";

const scaling = (service: string) =>
  [
    `aws_appautoscaling_target.service_namespace=${service}`,
    { ServiceLinkedRoles: [`${service}.application-autoscaling`] },
  ] as const;

/**
 * The actions of Terraform's provider on resources: plan, create, update and remove. A key is a type, a type and an
 * attribute that a resource of it sets, or both and the attribute's value. `ServiceLinkedRoles` lists services whose
 * role AWS creates, with the caller's permission, when the account first uses the resource. Sources: the provider's
 * code, Service Authorization Reference, "Services that work with IAM".
 */
export const RESOURCES: Readonly<Record<string, Statements>> = {
  aws_api_gateway_account: { read: ["apigateway:GET"], Apis: ["apigateway:PATCH"] },
  aws_api_gateway_api_key: {
    read: ["apigateway:GET"],
    Apis: ["apigateway:DELETE", "apigateway:PATCH", "apigateway:POST", "apigateway:PUT"],
  },
  aws_api_gateway_base_path_mapping: { Apis: ["apigateway:POST"] },
  aws_api_gateway_deployment: { Apis: ["apigateway:POST"] },
  aws_api_gateway_domain_name: { Apis: ["apigateway:POST"], ServiceLinkedRoles: ["ops.apigateway"] },
  aws_api_gateway_method_settings: { Apis: ["apigateway:PATCH"] },
  aws_api_gateway_rest_api: { Apis: ["apigateway:PUT"] },
  aws_api_gateway_rest_api_policy: { Apis: ["apigateway:PATCH", "apigateway:UpdateRestApiPolicy"] },
  aws_api_gateway_stage: { Apis: ["apigateway:POST"] },
  aws_api_gateway_usage_plan: { Apis: ["apigateway:POST"] },
  aws_api_gateway_usage_plan_key: { Apis: ["apigateway:POST"] },
  aws_appautoscaling_policy: {
    read: ["application-autoscaling:DescribeScalingPolicies"],
    Unnamed: ["application-autoscaling:DeleteScalingPolicy", "application-autoscaling:PutScalingPolicy"],
  },
  aws_appautoscaling_target: {
    read: ["application-autoscaling:DescribeScalableTargets", "application-autoscaling:ListTagsForResource"],
    Unnamed: [
      "application-autoscaling:DeregisterScalableTarget",
      "application-autoscaling:RegisterScalableTarget",
      "application-autoscaling:TagResource",
    ],
  },
  ...Object.fromEntries([scaling("lambda"), scaling("sagemaker")]),
  aws_cloudwatch_dashboard: {
    read: ["cloudwatch:GetDashboard"],
    Observability: ["cloudwatch:DeleteDashboards", "cloudwatch:PutDashboard"],
  },
  aws_cloudwatch_event_rule: {
    read: ["events:DescribeRule", "events:ListTagsForResource"],
    Data: ["events:DeleteRule", "events:PutRule", "events:TagResource"],
  },
  aws_cloudwatch_event_target: {
    read: ["events:ListTargetsByRule"],
    Data: ["events:PutTargets", "events:RemoveTargets"],
  },
  aws_cloudwatch_log_group: {
    read: ["logs:DescribeLogGroups", "logs:ListTagsForResource"],
    Observability: [
      "logs:AssociateKmsKey",
      "logs:CreateLogGroup",
      "logs:DeleteLogGroup",
      "logs:PutRetentionPolicy",
      "logs:TagResource",
    ],
  },
  aws_cloudwatch_log_stream: {
    read: ["logs:DescribeLogStreams"],
    Observability: ["logs:CreateLogStream", "logs:DeleteLogStream"],
  },
  aws_cloudwatch_log_subscription_filter: {
    read: ["logs:DescribeSubscriptionFilters"],
    Observability: ["logs:DeleteSubscriptionFilter", "logs:PutSubscriptionFilter"],
  },
  aws_cloudwatch_metric_alarm: {
    read: ["cloudwatch:DescribeAlarms", "cloudwatch:ListTagsForResource"],
    Observability: ["cloudwatch:DeleteAlarms", "cloudwatch:PutMetricAlarm", "cloudwatch:TagResource"],
  },
  aws_dynamodb_table: {
    read: [
      "dynamodb:DescribeContinuousBackups",
      "dynamodb:DescribeTable",
      "dynamodb:DescribeTimeToLive",
      "dynamodb:ListTagsOfResource",
    ],
    Data: [
      "dynamodb:CreateTable",
      "dynamodb:DeleteTable",
      "dynamodb:TagResource",
      "dynamodb:UntagResource",
      "dynamodb:UpdateContinuousBackups",
      "dynamodb:UpdateTable",
      "dynamodb:UpdateTimeToLive",
    ],
  },
  aws_glue_catalog_database: {
    read: ["glue:GetDatabase", "glue:GetTags"],
    Data: ["glue:CreateDatabase", "glue:DeleteDatabase", "glue:TagResource"],
  },
  aws_glue_catalog_table: {
    read: ["glue:GetPartitionIndexes", "glue:GetTable"],
    Data: ["glue:CreateTable", "glue:DeleteTable", "glue:UpdateTable"],
  },
  aws_iam_role: {
    read: ["iam:GetRole", "iam:ListAttachedRolePolicies", "iam:ListRolePolicies"],
    Roles: [
      "iam:CreateRole",
      "iam:DeleteRole",
      "iam:ListInstanceProfilesForRole",
      "iam:PassRole",
      "iam:TagRole",
      "iam:UntagRole",
      "iam:UpdateAssumeRolePolicy",
    ],
  },
  "aws_iam_role.permissions_boundary": {
    Roles: ["iam:DeleteRolePermissionsBoundary", "iam:PutRolePermissionsBoundary"],
  },
  aws_iam_role_policy: { read: ["iam:GetRolePolicy"], Roles: ["iam:DeleteRolePolicy", "iam:PutRolePolicy"] },
  aws_iam_role_policy_attachment: { Roles: ["iam:AttachRolePolicy", "iam:DetachRolePolicy"] },
  aws_kinesis_firehose_delivery_stream: {
    read: ["firehose:DescribeDeliveryStream", "firehose:ListTagsForDeliveryStream"],
    Data: [
      "firehose:CreateDeliveryStream",
      "firehose:DeleteDeliveryStream",
      "firehose:StartDeliveryStreamEncryption",
      "firehose:TagDeliveryStream",
      "firehose:UpdateDestination",
    ],
  },
  aws_kms_alias: { read: ["kms:ListAliases"], Unnamed: ["kms:CreateAlias", "kms:DeleteAlias"] },
  aws_kms_key: {
    read: ["kms:DescribeKey", "kms:GetKeyPolicy", "kms:GetKeyRotationStatus", "kms:ListResourceTags"],
    Unnamed: [
      "kms:CreateKey",
      "kms:EnableKeyRotation",
      "kms:PutKeyPolicy",
      "kms:ScheduleKeyDeletion",
      "kms:TagResource",
      "kms:UntagResource",
    ],
  },
  aws_lambda_alias: {
    read: ["lambda:GetAlias"],
    Functions: ["lambda:CreateAlias", "lambda:DeleteAlias", "lambda:UpdateAlias"],
  },
  aws_lambda_event_source_mapping: {
    read: ["lambda:GetEventSourceMapping", "lambda:ListTags"],
    Functions: ["lambda:TagResource"],
    Unnamed: ["lambda:CreateEventSourceMapping", "lambda:DeleteEventSourceMapping", "lambda:UpdateEventSourceMapping"],
  },
  aws_lambda_function: {
    read: [
      "lambda:GetFunction",
      "lambda:GetFunctionCodeSigningConfig",
      "lambda:GetFunctionConfiguration",
      "lambda:ListTags",
      "lambda:ListVersionsByFunction",
    ],
    Functions: [
      "lambda:CreateFunction",
      "lambda:DeleteFunction",
      "lambda:DeleteFunctionConcurrency",
      "lambda:PublishVersion",
      "lambda:TagResource",
      "lambda:UpdateFunctionCode",
      "lambda:UpdateFunctionConfiguration",
    ],
  },
  "aws_lambda_function.reserved_concurrent_executions": { Functions: ["lambda:PutFunctionConcurrency"] },
  aws_lambda_function_event_invoke_config: {
    read: ["lambda:GetFunctionEventInvokeConfig"],
    Functions: ["lambda:DeleteFunctionEventInvokeConfig", "lambda:PutFunctionEventInvokeConfig"],
  },
  aws_lambda_invocation: { MakeWhatIsInPersonalizeAndProbe: ["lambda:InvokeFunction"] },
  aws_lambda_permission: {
    read: ["lambda:GetPolicy"],
    Functions: ["lambda:AddPermission", "lambda:RemovePermission"],
  },
  aws_lambda_provisioned_concurrency_config: {
    read: ["lambda:GetProvisionedConcurrencyConfig"],
    Functions: ["lambda:DeleteProvisionedConcurrencyConfig", "lambda:PutProvisionedConcurrencyConfig"],
  },
  aws_route53_record: {
    read: ["route53:GetChange", "route53:GetHostedZone", "route53:ListResourceRecordSets"],
    Unnamed: ["route53:ChangeResourceRecordSets"],
  },
  aws_s3_bucket: { Bucket: ["s3:CreateBucket", "s3:DeleteBucket", "s3:PutBucketTagging"] },
  aws_s3_bucket_lifecycle_configuration: { Bucket: ["s3:PutLifecycleConfiguration"] },
  aws_s3_bucket_ownership_controls: { Bucket: ["s3:PutBucketOwnershipControls"] },
  aws_s3_bucket_policy: { Bucket: ["s3:DeleteBucketPolicy", "s3:PutBucketPolicy"] },
  aws_s3_bucket_public_access_block: { Bucket: ["s3:PutBucketPublicAccessBlock"] },
  aws_s3_bucket_server_side_encryption_configuration: { Bucket: ["s3:PutEncryptionConfiguration"] },
  aws_s3_bucket_versioning: { Bucket: ["s3:PutBucketVersioning"] },
  aws_sagemaker_endpoint: {
    read: ["sagemaker:DescribeEndpoint", "sagemaker:ListTags"],
    Models: ["sagemaker:AddTags", "sagemaker:CreateEndpoint", "sagemaker:DeleteEndpoint", "sagemaker:UpdateEndpoint"],
  },
  aws_sagemaker_endpoint_configuration: {
    read: ["sagemaker:DescribeEndpointConfig"],
    Models: ["sagemaker:CreateEndpointConfig", "sagemaker:DeleteEndpointConfig"],
  },
  aws_sagemaker_model: {
    read: ["sagemaker:DescribeModel"],
    Models: ["sagemaker:CreateModel", "sagemaker:DeleteModel"],
  },
  aws_scheduler_schedule: {
    read: ["scheduler:GetSchedule"],
    Data: ["scheduler:CreateSchedule", "scheduler:DeleteSchedule", "scheduler:UpdateSchedule"],
  },
  aws_secretsmanager_secret: {
    read: ["secretsmanager:DescribeSecret", "secretsmanager:GetResourcePolicy"],
    Data: [
      "secretsmanager:CreateSecret",
      "secretsmanager:DeleteSecret",
      // `deploy` writes the key that hashes user ids, so that Terraform's state does not contain it.
      "secretsmanager:GetSecretValue",
      "secretsmanager:PutSecretValue",
      "secretsmanager:TagResource",
      "secretsmanager:UpdateSecret",
    ],
  },
  aws_security_group: {
    read: ["ec2:DescribeNetworkInterfaces", "ec2:DescribeSecurityGroups"],
    Unnamed: [
      "ec2:CreateSecurityGroup",
      "ec2:CreateTags",
      "ec2:DeleteSecurityGroup",
      "ec2:DeleteTags",
      "ec2:RevokeSecurityGroupEgress",
    ],
  },
  aws_sfn_state_machine: {
    read: [
      "states:DescribeStateMachine",
      "states:ListStateMachineVersions",
      "states:ListTagsForResource",
      "states:ValidateStateMachineDefinition",
    ],
    Data: ["states:CreateStateMachine", "states:DeleteStateMachine", "states:TagResource", "states:UpdateStateMachine"],
    Unnamed: ["logs:CreateLogDelivery"],
  },
  aws_sns_topic: {
    read: ["sns:GetTopicAttributes", "sns:ListTagsForResource"],
    Observability: ["sns:CreateTopic", "sns:DeleteTopic", "sns:SetTopicAttributes", "sns:TagResource"],
  },
  aws_sqs_queue: {
    read: ["sqs:GetQueueAttributes", "sqs:ListQueueTags"],
    Data: ["sqs:CreateQueue", "sqs:DeleteQueue", "sqs:SetQueueAttributes", "sqs:TagQueue"],
  },
  aws_vpc_endpoint: {
    read: ["ec2:DescribePrefixLists", "ec2:DescribeVpcEndpoints", "ec2:DescribeVpcs"],
    Unnamed: ["ec2:CreateTags", "ec2:CreateVpcEndpoint", "ec2:DeleteVpcEndpoints", "ec2:ModifyVpcEndpoint"],
  },
  // The hosted zone of the private names belongs to the service, and its id is not known.
  "aws_vpc_endpoint.private_dns_enabled": { Unnamed: ["route53:AssociateVPCWithHostedZone"] },
  aws_vpc_security_group_egress_rule: {
    read: ["ec2:DescribeSecurityGroupRules"],
    Unnamed: ["ec2:AuthorizeSecurityGroupEgress", "ec2:ModifySecurityGroupRules", "ec2:RevokeSecurityGroupEgress"],
  },
  aws_vpc_security_group_ingress_rule: {
    read: ["ec2:DescribeSecurityGroupRules"],
    Unnamed: ["ec2:AuthorizeSecurityGroupIngress", "ec2:ModifySecurityGroupRules", "ec2:RevokeSecurityGroupIngress"],
  },
  aws_wafv2_web_acl_association: {
    read: ["wafv2:GetWebACL", "wafv2:GetWebACLForResource"],
    Apis: ["apigateway:SetWebACL"],
    Unnamed: ["wafv2:AssociateWebACL", "wafv2:DisassociateWebACL"],
  },
};

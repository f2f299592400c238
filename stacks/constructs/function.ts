import { CloudwatchLogGroup } from "@cdktf/provider-aws/lib/cloudwatch-log-group/index.js";
import type { IamRole } from "@cdktf/provider-aws/lib/iam-role/index.js";
import { LambdaAlias } from "@cdktf/provider-aws/lib/lambda-alias/index.js";
import { LambdaFunction } from "@cdktf/provider-aws/lib/lambda-function/index.js";
import type { ITerraformDependable } from "cdktf";
import type { Statement } from "../../lib/aws/iam-statement.ts";
import { type FunctionName, LIVE_ALIAS } from "../../lib/core/naming/names.ts";
import type { ProjectStack } from "../project-stack.ts";
import { rolePolicy, serviceRole } from "./iam.ts";
import { LOG_DAYS } from "./log-key.ts";
import { type Concurrency, provisionedConcurrency } from "./provisioned-concurrency.ts";

/** Interfaces of a function in a VPC go up to 45 minutes after it. Source: Lambda Developer Guide, VPC networking. */
export const NETWORK_TIMEOUT = "60m";

export interface FunctionOptions {
  name: FunctionName;
  description: string;
  memoryMb: number;
  timeoutSeconds: number;
  environment: Readonly<Record<string, string>>;
  /** From the function's policy.ts. */
  statements: readonly Statement[];
  /** Default LOG_DAYS. */
  logRetentionDays?: number;
  /** Key of its log group. */
  logKeyArn: string;
  /** In the VPC; absent: outside of it. */
  network?: { subnetIds: string[]; securityGroupIds: string[] };
  reservedConcurrency?: number | undefined;
  provisionedConcurrency?: Concurrency | undefined;
}

/** A function with all that belongs to it. Everything that calls it goes through the alias. */
export interface DeployedFunction {
  function: LambdaFunction;
  alias: LambdaAlias;
  role: IamRole;
  logGroup: CloudwatchLogGroup;
  /** What an invocation needs, and what must outlive the last one: the alias, the role's policies, the log group. */
  ready: ITerraformDependable[];
}

/**
 * ARN of a function's alias, from its name: what calls it can be written down before it is there.
 */
export function aliasArn({ names }: ProjectStack, name: FunctionName): string {
  return names.arn("lambda", `function:${names.function(name)}:${LIVE_ALIAS}`);
}

/** A function of `functions/`: role, log group, published version, alias `live`, concurrency. */
export function lambdaFunction(stack: ProjectStack, options: FunctionOptions): DeployedFunction {
  const { names, input } = stack;
  const { name, network } = options;
  const artifact = stack.artifact(name);
  const role = serviceRole(stack, `${name}-role`, {
    name: names.functionRole(name),
    description: `Function ${name} of ${input.config.project.project_name}`,
    service: "lambda.amazonaws.com",
  });
  const policies = [
    rolePolicy(stack, `${name}-policy`, role, [...options.statements, TRACING]),
    ...(network ? [networkPolicy(stack, name, role)] : []),
  ];
  // checkov:skip=CKV_AWS_338 aws_cloudwatch_log_group: logs are for finding faults, what is to be kept goes to the bucket
  const logGroup = new CloudwatchLogGroup(stack, `${name}-log`, {
    name: names.functionLogGroup(name),
    retentionInDays: options.logRetentionDays ?? LOG_DAYS,
    kmsKeyId: options.logKeyArn,
  });
  // checkov:skip=CKV_AWS_116 aws_lambda_function: callers wait for the answer or come again; failures are alarms, the events worthless
  // checkov:skip=CKV_AWS_117 aws_lambda_function: in the VPC are those that call the cluster, the rest calls AWS alone
  // checkov:skip=CKV_AWS_272 aws_lambda_function: who may deploy may also sign; the archive is compared by its hash in each plan
  const lambda = new LambdaFunction(stack, name, {
    functionName: names.function(name),
    description: options.description,
    role: role.arn,
    runtime: input.config.project.aws.lambda_runtime,
    handler: "index.handler",
    architectures: ["arm64"],
    filename: stack.pathFromStack(artifact.zip),
    sourceCodeHash: artifact.sha256,
    memorySize: options.memoryMb,
    timeout: options.timeoutSeconds,
    environment: { variables: { ...options.environment } },
    tracingConfig: { mode: "Active" },
    publish: true,
    ...(options.reservedConcurrency !== undefined && { reservedConcurrentExecutions: options.reservedConcurrency }),
    ...(network && { vpcConfig: network, timeouts: { delete: NETWORK_TIMEOUT } }),
    // Without the permission over its interfaces, Lambda could not remove them; without the group, it would make one
    // that is kept for ever.
    dependsOn: [...policies, logGroup],
  });
  const alias = new LambdaAlias(stack, `${name}-live`, {
    name: LIVE_ALIAS,
    functionName: lambda.functionName,
    functionVersion: lambda.version,
  });
  if (options.provisionedConcurrency) provisionedConcurrency(stack, name, alias, options.provisionedConcurrency);
  return { function: lambda, alias, role, logGroup, ready: [alias, ...policies, logGroup] };
}

/** X-Ray takes no resource. Source: Service Authorization Reference, AWS X-Ray. */
const TRACING: Statement = {
  sid: "WriteTraces",
  actions: ["xray:PutTraceSegments", "xray:PutTelemetryRecords"],
  resources: ["*"],
};

const INTERFACE_ACTIONS = [
  "ec2:CreateNetworkInterface",
  "ec2:DeleteNetworkInterface",
  "ec2:DescribeNetworkInterfaces",
  "ec2:DescribeSubnets",
  "ec2:AssignPrivateIpAddresses",
  "ec2:UnassignPrivateIpAddresses",
];

/**
 * For Lambda itself, which makes the interfaces with the function's role and checks for these actions on any resource.
 * The function's own code is denied them. Source: Lambda Developer Guide, "Giving Lambda functions access to a VPC".
 */
function networkPolicy(stack: ProjectStack, name: FunctionName, role: IamRole) {
  const { names } = stack;
  const conditions = {
    ArnEquals: { "lambda:SourceFunctionArn": names.arn("lambda", `function:${names.function(name)}`) },
  };
  // checkov:skip=CKV_AWS_290 aws_iam_role_policy.*-network-policy: Lambda checks these actions on any resource, see above
  return rolePolicy(
    stack,
    `${name}-network-policy`,
    role,
    [{ sid: "NetworkInterfaces", actions: INTERFACE_ACTIONS, resources: ["*"] }],
    [{ sid: "NotFromItsCode", actions: INTERFACE_ACTIONS, resources: ["*"], conditions }],
  );
}

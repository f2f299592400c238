import { AppautoscalingPolicy } from "#aws/appautoscaling-policy";
import { AppautoscalingTarget } from "#aws/appautoscaling-target";
import type { CloudwatchLogGroup } from "#aws/cloudwatch-log-group";
import type { IamRole } from "#aws/iam-role";
import { LambdaAlias } from "#aws/lambda-alias";
import { LambdaFunction } from "#aws/lambda-function";
import { LambdaProvisionedConcurrencyConfig } from "#aws/lambda-provisioned-concurrency-config";
import type { ITerraformDependable } from "#cdktf";
import type { Statement } from "../../lib/platform/aws/iam-statement.ts";
import { type FunctionName, LIVE_ALIAS } from "../../lib/platform/naming/names.ts";
import type { ProjectStack } from "../project-stack.ts";
import { rolePolicy, serviceRole } from "./iam.ts";
import { type FunctionNetwork, functionNetwork, NETWORK_TIMEOUT } from "./network.ts";

interface FunctionOptions {
  name: FunctionName;
  description: string;
  memoryMb: number;
  /** Disk at /tmp. Default: 512. */
  diskMb?: number;
  timeoutSeconds: number;
  environment: Readonly<Record<string, string>>;
  /** From the function's policy.ts. */
  statements: readonly Statement[];
  /** Default: the retention of all log groups. */
  logRetentionDays?: number;
  /** Key of its log group. */
  logKeyArn: string;
  /** Resources that must exist before the function changes. */
  after?: readonly ITerraformDependable[];
  /** Its own network in the VPC. Default: that of all functions with `vpc.functions: all`, else outside of the VPC. */
  network?: FunctionNetwork;
  reservedConcurrency?: number | undefined;
  provisionedConcurrency?: Concurrency | undefined;
}

/** A function and its resources. All callers use the alias. */
export interface DeployedFunction {
  function: LambdaFunction;
  alias: LambdaAlias;
  role: IamRole;
  logGroup: CloudwatchLogGroup;
  /** The resources that must exist from the first invocation to the last: alias, role policies, log group. */
  ready: ITerraformDependable[];
}

/** Adds a function of `functions/`: role, log group, published version, alias `live`, concurrency. */
export function lambdaFunction(stack: ProjectStack, options: FunctionOptions): DeployedFunction {
  const { names, input } = stack;
  const { name, network = functionNetwork(stack) } = options;
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
  const log = stack.logGroup(`${name}-log`, names.functionLogGroup(name), options.logKeyArn, options.logRetentionDays);
  // checkov:skip=CKV_AWS_116 aws_lambda_function: callers wait for the answer or call again; alarms report failures,
  // and failed events are not worth keeping
  // checkov:skip=CKV_AWS_117 aws_lambda_function: functions that call the cluster are in the VPC; the others only call
  // AWS, and are in it with vpc.functions: all
  // checkov:skip=CKV_AWS_272 aws_lambda_function: whoever may deploy may also sign; each plan compares the archive's
  // hash
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
    ...(options.diskMb !== undefined && { ephemeralStorage: { size: options.diskMb } }),
    environment: { variables: { ...options.environment } },
    tracingConfig: { mode: "Active" },
    // Lambda's own lines only where something is wrong: START, END and REPORT are two thirds of the lines, and metrics say more.
    loggingConfig: { logFormat: "JSON", applicationLogLevel: "INFO", systemLogLevel: "WARN" },
    publish: true,
    ...(options.reservedConcurrency !== undefined && { reservedConcurrentExecutions: options.reservedConcurrency }),
    ...(network && {
      vpcConfig: { subnetIds: network.subnetIds, securityGroupIds: network.securityGroupIds },
      timeouts: { delete: NETWORK_TIMEOUT },
      ...(network.fixed && { lifecycle: { ignoreChanges: ["vpc_config"] } }),
    }),
    // Lambda needs the permission to delete the network interfaces. Without the log group it would create one that
    // never expires.
    dependsOn: [...policies, log, ...(options.after ?? [])],
  });
  const alias = new LambdaAlias(stack, `${name}-live`, {
    name: LIVE_ALIAS,
    functionName: lambda.functionName,
    functionVersion: lambda.version,
  });
  if (options.provisionedConcurrency) provisionedConcurrency(stack, name, alias, options.provisionedConcurrency);
  return { function: lambda, alias, role, logGroup: log, ready: [alias, ...policies, log] };
}

/** X-Ray actions do not support resources. Source: Service Authorization Reference, AWS X-Ray. */
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
 * Permissions for Lambda itself, which creates the network interfaces with the function's role and checks these actions
 * on any resource. Denied to the function's own code. Source: Lambda Developer Guide, "Giving Lambda functions access
 * to a VPC".
 */
function networkPolicy(stack: ProjectStack, name: FunctionName, role: IamRole) {
  const { names } = stack;
  const conditions = {
    ArnEquals: { "lambda:SourceFunctionArn": names.arn("lambda", `function:${names.function(name)}`) },
  };
  // checkov:skip=CKV_AWS_290 aws_iam_role_policy.*-network-policy: Lambda checks these actions on any resource, see the
  // docstring
  return rolePolicy(
    stack,
    `${name}-network-policy`,
    role,
    [{ sid: "NetworkInterfaces", actions: INTERFACE_ACTIONS, resources: ["*"] }],
    [{ sid: "NotFromItsCode", actions: INTERFACE_ACTIONS, resources: ["*"], conditions }],
  );
}

/** `provisioned_concurrency.<function>` of api.yaml. */
interface Concurrency {
  min_capacity: number;
  max_capacity: number;
  utilization_target: number;
}

/** Adds provisioned instances behind the alias, scaled by their utilization. */
function provisionedConcurrency(
  stack: ProjectStack,
  name: FunctionName,
  alias: LambdaAlias,
  { min_capacity, max_capacity, utilization_target }: Concurrency,
): void {
  const config = new LambdaProvisionedConcurrencyConfig(stack, `${name}-provisioned`, {
    functionName: stack.names.function(name),
    qualifier: alias.name,
    provisionedConcurrentExecutions: min_capacity,
    // From then on scaling sets the number.
    lifecycle: { ignoreChanges: ["provisioned_concurrent_executions"] },
    dependsOn: [alias],
  });
  const target = new AppautoscalingTarget(stack, `${name}-scaling`, {
    serviceNamespace: "lambda",
    scalableDimension: "lambda:function:ProvisionedConcurrency",
    resourceId: `function:${stack.names.function(name)}:${alias.name}`,
    minCapacity: min_capacity,
    maxCapacity: max_capacity,
    dependsOn: [config],
  });
  new AppautoscalingPolicy(stack, `${name}-scaling-policy`, {
    name: stack.names.scalingPolicy(name),
    policyType: "TargetTrackingScaling",
    serviceNamespace: target.serviceNamespace,
    scalableDimension: target.scalableDimension,
    resourceId: target.resourceId,
    targetTrackingScalingPolicyConfiguration: {
      targetValue: utilization_target,
      predefinedMetricSpecification: { predefinedMetricType: "LambdaProvisionedConcurrencyUtilization" },
    },
  });
}

import { AppautoscalingPolicy } from "@cdktf/provider-aws/lib/appautoscaling-policy/index.js";
import { AppautoscalingTarget } from "@cdktf/provider-aws/lib/appautoscaling-target/index.js";
import { CloudwatchLogGroup } from "@cdktf/provider-aws/lib/cloudwatch-log-group/index.js";
import type { IamRole } from "@cdktf/provider-aws/lib/iam-role/index.js";
import { SagemakerEndpoint } from "@cdktf/provider-aws/lib/sagemaker-endpoint/index.js";
import { SagemakerEndpointConfiguration } from "@cdktf/provider-aws/lib/sagemaker-endpoint-configuration/index.js";
import { SagemakerModel } from "@cdktf/provider-aws/lib/sagemaker-model/index.js";
import type { ITerraformDependable } from "cdktf";
import type { Statement } from "../../lib/aws/iam-statement.ts";
import { MODELS, type ModelName } from "../../lib/config/embedding-models.ts";
import { imageKind } from "../../lib/config/instance-types.ts";
import type { Models } from "../../lib/config/model.ts";
import { ENDPOINT_VARIANT } from "../../lib/core/naming/names.ts";
import { referencedModels } from "../../lib/infrastructure/endpoints.ts";
import { type ModelImage, modelImage } from "../../lib/infrastructure/model-image.ts";
import { rolePolicy, serviceRole } from "../constructs/iam.ts";
import { gatewayInput } from "../input.ts";
import type { ProjectStack } from "../project-stack.ts";

/** A container first downloads its model, more than a gigabyte, from the Hugging Face Hub. */
const START_SECONDS = 900;

/**
 * Concurrent calls per instance that scaling aims at. Concurrency measures load, which a number of calls does not: a
 * query is one text, a call of a bulk request has up to 32 of them. With this many calls in flight the next batch is
 * already waiting when the server finishes one, so more calls would only wait longer.
 */
const TARGET_CONCURRENCY = { gpu: 4, cpu: 2 } as const;

type SelfHosted = Extract<ModelName, "dense_large_en_v1_5" | "sparse_v3">;
type Section = NonNullable<Models[SelfHosted]>;

interface EndpointPlan {
  name: SelfHosted;
  section: Section;
  image: ModelImage;
}

/** Returns the models that run on the project's own endpoints. */
export function selfHostedModels(stack: ProjectStack): SelfHosted[] {
  return referencedModels(gatewayInput(stack.input).gateway).filter(isSelfHosted);
}

function isSelfHosted(name: ModelName): name is SelfHosted {
  return MODELS[name].host === "sagemaker";
}

/** Adds an endpoint for each referenced model. */
export function modelEndpoints(stack: ProjectStack, logKeyArn: string): void {
  const { gateway } = gatewayInput(stack.input);
  const plans = selfHostedModels(stack).map((name): EndpointPlan => {
    const section = gateway.models[name];
    const image = section && modelImage(stack.input.discovery.region, section.instance_type);
    if (!section || !image) throw new Error(`model ${name} has no section, or no image in this region`);
    return { name, section, image };
  });
  if (plans.length === 0) return;
  const logGroups = plans.map(({ name }) => endpointLog(stack, name, logKeyArn));
  const { role, policy } = executionRole(stack, plans);
  for (const plan of plans) modelEndpoint(stack, plan, role, [policy, ...logGroups]);
}

function endpointLog(stack: ProjectStack, name: SelfHosted, logKeyArn: string): CloudwatchLogGroup {
  return new CloudwatchLogGroup(stack, `${name}-log`, {
    name: stack.names.endpointLogGroup(name),
    retentionInDays: stack.logDays,
    kmsKeyId: logKeyArn,
  });
}

/** Adds the role that SageMaker uses for the endpoints: to fetch the image and write logs and metrics. */
function executionRole(stack: ProjectStack, plans: readonly EndpointPlan[]) {
  const { names, input } = stack;
  const role = serviceRole(stack, "sagemaker-role", {
    name: names.role("sagemaker"),
    description: `Model endpoints of ${input.config.project.project_name}`,
    service: "sagemaker.amazonaws.com",
    conditions: { StringEquals: { "aws:SourceAccount": input.discovery.account } },
  });
  const statements: Statement[] = [
    // ECR's token and CloudWatch's metrics do not support resources.
    { sid: "LogInToEcr", actions: ["ecr:GetAuthorizationToken"], resources: ["*"] },
    {
      sid: "FetchImages",
      actions: ["ecr:BatchCheckLayerAvailability", "ecr:BatchGetImage", "ecr:GetDownloadUrlForLayer"],
      resources: [...new Set(plans.map(({ image }) => image.repositoryArn))],
    },
    {
      sid: "WriteLogs",
      actions: ["logs:CreateLogStream", "logs:DescribeLogStreams", "logs:PutLogEvents"],
      resources: plans.map(({ name }) => `${names.arn("logs", `log-group:${names.endpointLogGroup(name)}`)}:*`),
    },
    {
      sid: "WriteMetrics",
      actions: ["cloudwatch:PutMetricData"],
      resources: ["*"],
      conditions: { StringLike: { "cloudwatch:namespace": "/aws/sagemaker/*" } },
    },
  ];
  return { role, policy: rolePolicy(stack, "sagemaker-policy", role, statements) };
}

/**
 * SageMaker cannot change models and configurations. New content gets a new name and is created before the old one is
 * deleted; the endpoint switches over while both run.
 */
function modelEndpoint(
  stack: ProjectStack,
  plan: EndpointPlan,
  role: IamRole,
  dependsOn: ITerraformDependable[],
): void {
  const { names } = stack;
  const { name, section, image } = plan;
  const environment = containerEnvironment(name, section.revision);
  const modelRevision = JSON.stringify([image.uri, environment]);
  // checkov:skip=CKV_AWS_370 aws_sagemaker_model: the container downloads the model's files when it starts
  const model = new SagemakerModel(stack, `${name}-model`, {
    name: names.endpointRevision(name, modelRevision),
    executionRoleArn: role.arn,
    // No network isolation: the container downloads the model's files when it starts.
    primaryContainer: { image: image.uri, environment },
    lifecycle: { createBeforeDestroy: true },
    dependsOn,
  });
  const { instance_type, initial_instance_count } = section;
  // checkov:skip=CKV_AWS_98 aws_sagemaker_endpoint_configuration: SageMaker's own key suffices: the volume contains a public model, and instances with NVMe reject other keys
  const configuration = new SagemakerEndpointConfiguration(stack, `${name}-configuration`, {
    name: names.endpointRevision(name, JSON.stringify([modelRevision, instance_type, initial_instance_count])),
    productionVariants: [
      {
        variantName: ENDPOINT_VARIANT,
        modelName: model.name,
        instanceType: instance_type,
        initialInstanceCount: initial_instance_count,
        initialVariantWeight: 1,
        containerStartupHealthCheckTimeoutInSeconds: START_SECONDS,
      },
    ],
    lifecycle: { createBeforeDestroy: true },
  });
  const endpoint = new SagemakerEndpoint(stack, `${name}-endpoint`, {
    name: names.endpoint(name),
    endpointConfigName: configuration.name,
    deploymentConfig: {
      blueGreenUpdatePolicy: {
        trafficRoutingConfiguration: { type: "ALL_AT_ONCE", waitIntervalInSeconds: 60 },
        terminationWaitInSeconds: 60,
      },
    },
  });
  if (section.max_instance_count !== undefined) scaling(stack, plan, endpoint, section.max_instance_count);
}

function containerEnvironment(name: SelfHosted, revision: string | undefined): Record<string, string> {
  const { kind, source } = MODELS[name];
  return {
    HF_MODEL_ID: source,
    ...(revision !== undefined && { HF_MODEL_REVISION: revision }),
    POOLING: kind === "sparse" ? "splade" : "cls",
    // The defaults that lib/search/embeddings relies on, and truncation, whose default differs between releases.
    AUTO_TRUNCATE: "true",
    MAX_CLIENT_BATCH_SIZE: "32",
    PAYLOAD_LIMIT: "2000000",
  };
}

function scaling(stack: ProjectStack, { name, section }: EndpointPlan, endpoint: SagemakerEndpoint, max: number): void {
  const target = new AppautoscalingTarget(stack, `${name}-scaling`, {
    serviceNamespace: "sagemaker",
    scalableDimension: "sagemaker:variant:DesiredInstanceCount",
    resourceId: `endpoint/${stack.names.endpoint(name)}/variant/${ENDPOINT_VARIANT}`,
    minCapacity: section.initial_instance_count,
    maxCapacity: max,
    dependsOn: [endpoint],
  });
  new AppautoscalingPolicy(stack, `${name}-scaling-policy`, {
    name: stack.names.scalingPolicy(name.replaceAll("_", "-")),
    policyType: "TargetTrackingScaling",
    serviceNamespace: target.serviceNamespace,
    scalableDimension: target.scalableDimension,
    resourceId: target.resourceId,
    targetTrackingScalingPolicyConfiguration: {
      targetValue: section.target_concurrency ?? TARGET_CONCURRENCY[imageKind(section.instance_type) ?? "cpu"],
      predefinedMetricSpecification: {
        predefinedMetricType: "SageMakerVariantConcurrentRequestsPerModelHighResolution",
      },
    },
  });
}

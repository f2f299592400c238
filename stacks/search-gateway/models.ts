import { AppautoscalingPolicy } from "#aws/appautoscaling-policy";
import { AppautoscalingTarget } from "#aws/appautoscaling-target";
import type { IamRole } from "#aws/iam-role";
import { SagemakerEndpoint } from "#aws/sagemaker-endpoint";
import { SagemakerEndpointConfiguration } from "#aws/sagemaker-endpoint-configuration";
import { SagemakerModel } from "#aws/sagemaker-model";
import type { ITerraformDependable, TerraformResource } from "#cdktf";
import { modelEndpoints } from "../../lib/infrastructure/endpoints.ts";
import type { Statement } from "../../lib/platform/aws/iam-statement.ts";
import { ENDPOINT_VARIANT } from "../../lib/platform/naming/names.ts";
import { MODELS } from "../../lib/settings/embedding-models.ts";
import { imageKind, type ModelImage, modelImage } from "../../lib/settings/model-image.ts";
import {
  type DeployedEndpoint,
  endpointName,
  isDeployed,
  ownRepository,
  repositoryOf,
  revisionOf,
} from "../../lib/settings/model-sources.ts";
import { RERANKER } from "../../lib/settings/rerank-models.ts";
import { rolePolicy, serviceRole } from "../constructs/iam.ts";
import { gatewayInput } from "../input.ts";
import type { ProjectStack } from "../project-stack.ts";

/** A container first downloads its model, more than a gigabyte, from the Hugging Face Hub or from S3. */
const START_SECONDS = 900;

/**
 * Concurrent calls per instance that scaling aims at. Concurrency measures load, which a number of calls does not: a
 * query is one text, a call of a bulk request has up to 32 of them. With this many calls in flight the next batch is
 * already waiting when the server finishes one, so more calls would only wait longer.
 */
const TARGET_CONCURRENCY = { gpu: 4, cpu: 2 } as const;

interface EndpointPlan extends DeployedEndpoint {
  image: ModelImage;
}

/**
 * Adds the endpoints that the project deploys, and returns them: the function that calls them must not change before they
 * are in service.
 */
export function deployEndpoints(stack: ProjectStack, logKeyArn: string): ITerraformDependable[] {
  const { gateway } = gatewayInput(stack.input);
  const plans = modelEndpoints(gateway)
    .filter(isDeployed)
    .map((endpoint): EndpointPlan => {
      const image = modelImage(stack.input.discovery.region, endpoint.section.instance_type);
      if (!image) throw new Error(`model ${endpoint.model} has no image in this region`);
      return { ...endpoint, image };
    });
  if (plans.length === 0) return [];
  const logGroups = plans.map((plan) => {
    const name = stack.names.endpointLogGroup(endpointName(plan, stack.names));
    return succeed(stack.logGroup(`${plan.key}-log`, name, logKeyArn), plan, "log");
  });
  const { role, policies } = executionRole(stack, plans);
  return plans.map((plan) => deployEndpoint(stack, plan, role, [...policies, ...logGroups]));
}

/**
 * Makes a resource the successor of the one that had no hash in its id. Terraform then makes the new one first; a
 * resource that only vanishes from the files would be deleted at once, while the function still calls it.
 */
function succeed<Resource extends TerraformResource>(resource: Resource, { model, path }: EndpointPlan, id: string) {
  // Previous models, endpoints for documents and the reranker never had other ids.
  if (path.length === 1 && model !== RERANKER) resource.moveFromId(`${resource.terraformResourceType}.${model}-${id}`);
  return resource;
}

/** Adds the role that SageMaker uses for the endpoints: to fetch image and model files, and to write logs and metrics. */
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
      // The old endpoint writes until the function calls the new one.
      resources: plans.map(
        ({ key }) => `${names.arn("logs", `log-group:${names.endpointLogGroup(names.anyEndpoint(key))}`)}:*`,
      ),
    },
    {
      sid: "WriteMetrics",
      actions: ["cloudwatch:PutMetricData"],
      resources: ["*"],
      conditions: { StringLike: { "cloudwatch:namespace": "/aws/sagemaker/*" } },
    },
    ...modelDataStatements(names.partition(), plans),
  ];
  const policies = [rolePolicy(stack, "sagemaker-policy", role, statements)];
  if (plans.some(({ section }) => section.vpc_config)) policies.push(vpcPolicy(stack, role));
  return { role, policies };
}

/**
 * What SageMaker needs of the role to attach instances to a VPC. Source: SageMaker Developer Guide, "How to use SageMaker
 * AI execution roles", CreateModel with a VPC, which has these actions on any resource.
 */
function vpcPolicy(stack: ProjectStack, role: IamRole) {
  const actions = [
    "ec2:CreateNetworkInterface",
    "ec2:CreateNetworkInterfacePermission",
    "ec2:DeleteNetworkInterface",
    "ec2:DeleteNetworkInterfacePermission",
    "ec2:DescribeDhcpOptions",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSecurityGroups",
    "ec2:DescribeSubnets",
    "ec2:DescribeVpcs",
  ];
  // checkov:skip=CKV_AWS_289 aws_iam_role_policy.sagemaker-vpc-policy: SageMaker needs these actions on any resource,
  // see the docstring
  // checkov:skip=CKV_AWS_290 aws_iam_role_policy.sagemaker-vpc-policy: SageMaker needs these actions on any resource,
  // see the docstring
  // checkov:skip=CKV_AWS_355 aws_iam_role_policy.sagemaker-vpc-policy: SageMaker needs these actions on any resource,
  // see the docstring
  return rolePolicy(stack, "sagemaker-vpc-policy", role, [{ sid: "AttachToVpc", actions, resources: ["*"] }]);
}

/** Returns the permissions to read exactly the files that `model_data` names. */
function modelDataStatements(partition: string, plans: readonly EndpointPlan[]): Statement[] {
  const places = new Set(plans.flatMap(({ section }) => section.model_data ?? []));
  return [...places].flatMap((data, index): Statement[] => {
    const [, bucket = "", key = ""] = /^s3:\/\/([^/]+)\/(.*)$/.exec(data) ?? [];
    const arn = `arn:${partition}:s3:::${bucket}`;
    const [read, list] = [`ReadModel${index + 1}`, `ListModel${index + 1}`];
    if (!key.endsWith("/")) return [{ sid: read, actions: ["s3:GetObject"], resources: [`${arn}/${key}`] }];
    return [
      { sid: read, actions: ["s3:GetObject"], resources: [`${arn}/${key}*`] },
      {
        sid: list,
        actions: ["s3:ListBucket"],
        resources: [arn],
        conditions: { StringLike: { "s3:prefix": `${key}*` } },
      },
    ];
  });
}

/**
 * SageMaker cannot change models and configurations. New content gets a new name and is created before the old one is
 * deleted; the endpoint switches over while both run. What an endpoint itself cannot change is in its name, see
 * `endpointName`: the new one is created, then the function calls it, then the old one is deleted.
 */
function deployEndpoint(
  stack: ProjectStack,
  plan: EndpointPlan,
  role: IamRole,
  dependsOn: ITerraformDependable[],
): SagemakerEndpoint {
  const { names } = stack;
  const { key, section, image } = plan;
  const environment = containerEnvironment(plan);
  const { model_data, vpc_config } = section;
  // Undefined is left out, so that models without these settings keep their names.
  const modelRevision = JSON.stringify([
    image.uri,
    environment,
    ...(model_data || vpc_config ? [{ model_data, vpc_config }] : []),
  ]);
  // checkov:skip=CKV_AWS_370 aws_sagemaker_model: without model_data the container downloads the model's files when it
  // starts
  const model = new SagemakerModel(stack, `${key}-model`, {
    name: names.endpointRevision(key, modelRevision),
    executionRoleArn: role.arn,
    // SageMaker itself fetches model_data, so the container then needs no network.
    ...(model_data !== undefined && { enableNetworkIsolation: true }),
    primaryContainer: {
      image: image.uri,
      environment,
      ...(model_data !== undefined && { modelDataSource: { s3DataSource: [s3Source(model_data)] } }),
    },
    ...(vpc_config && {
      vpcConfig: { subnets: vpc_config.subnet_ids, securityGroupIds: vpc_config.security_group_ids },
    }),
    lifecycle: { createBeforeDestroy: true },
    dependsOn,
  });
  succeed(model, plan, "model");
  const { instance_type, initial_instance_count, max_instance_count } = section;
  const running = gatewayInput(stack.input).found.runningInstances?.[key] ?? 0;
  // checkov:skip=CKV_AWS_98 aws_sagemaker_endpoint_configuration: SageMaker's own key suffices: the volume contains a
  // public model, and instances with NVMe reject other keys
  const configuration = new SagemakerEndpointConfiguration(stack, `${key}-configuration`, {
    name: names.endpointRevision(key, JSON.stringify([modelRevision, instance_type, initial_instance_count])),
    productionVariants: [
      {
        variantName: ENDPOINT_VARIANT,
        modelName: model.name,
        instanceType: instance_type,
        initialInstanceCount:
          max_instance_count === undefined
            ? initial_instance_count
            : Math.min(Math.max(initial_instance_count, running), max_instance_count),
        initialVariantWeight: 1,
        containerStartupHealthCheckTimeoutInSeconds: START_SECONDS,
      },
    ],
    lifecycle: {
      createBeforeDestroy: true,
      // Scaling alone changes nothing here; a new configuration takes the number from the discovery again.
      ...(max_instance_count !== undefined && { ignoreChanges: ["production_variants[0].initial_instance_count"] }),
    },
  });
  succeed(configuration, plan, "configuration");
  const endpoint = new SagemakerEndpoint(stack, `${key}-endpoint`, {
    name: endpointName(plan, names),
    endpointConfigName: configuration.name,
    deploymentConfig: {
      blueGreenUpdatePolicy: {
        trafficRoutingConfiguration: { type: "ALL_AT_ONCE", waitIntervalInSeconds: 60 },
        terminationWaitInSeconds: 60,
      },
    },
    // Terraform then deletes an endpoint only after the function that called it has changed.
    lifecycle: { createBeforeDestroy: true },
  });
  if (max_instance_count !== undefined) scaling(stack, plan, endpoint, max_instance_count);
  return succeed(endpoint, plan, "endpoint");
}

function s3Source(uri: string) {
  return uri.endsWith("/")
    ? { s3Uri: uri, s3DataType: "S3Prefix", compressionType: "None" }
    : { s3Uri: uri, s3DataType: "S3Object", compressionType: "Gzip" };
}

/** Where SageMaker puts the files of a model in a container. */
const MODEL_FOLDER = "/opt/ml/model";

function containerEnvironment({ model, models, section }: EndpointPlan): Record<string, string> {
  const isOwn = ownRepository(section) !== undefined;
  return {
    ...(section.model_data !== undefined
      ? { HF_MODEL_ID: MODEL_FOLDER }
      : { HF_MODEL_ID: repositoryOf(model, models), HF_MODEL_REVISION: revisionOf(model, models) }),
    // Files of the user's own model say how it pools (1_Pooling/config.json), and a reranker does not.
    ...(!isOwn && model !== RERANKER && { POOLING: MODELS[model].kind === "sparse" ? "splade" : "cls" }),
    // The defaults that lib/search/embeddings relies on, and truncation, whose default differs between releases.
    AUTO_TRUNCATE: "true",
    MAX_CLIENT_BATCH_SIZE: "32",
    PAYLOAD_LIMIT: "2000000",
  };
}

function scaling(stack: ProjectStack, plan: EndpointPlan, endpoint: SagemakerEndpoint, max: number): void {
  const { key, section } = plan;
  const target = new AppautoscalingTarget(stack, `${key}-scaling`, {
    serviceNamespace: "sagemaker",
    scalableDimension: "sagemaker:variant:DesiredInstanceCount",
    resourceId: `endpoint/${endpointName(plan, stack.names)}/variant/${ENDPOINT_VARIANT}`,
    minCapacity: section.initial_instance_count,
    maxCapacity: max,
    // The old endpoint scales until the function calls the new one.
    lifecycle: { createBeforeDestroy: true },
    dependsOn: [endpoint],
  });
  succeed(target, plan, "scaling");
  const policy = new AppautoscalingPolicy(stack, `${key}-scaling-policy`, {
    name: stack.names.scalingPolicy(key.replaceAll("_", "-")),
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
    lifecycle: { createBeforeDestroy: true },
  });
  succeed(policy, plan, "scaling-policy");
}

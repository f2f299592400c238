import type * as v from "valibot";
import type { ITerraformDependable } from "#cdktf";
import { type ApiRouterEnv, MEMORY_OPTIONS } from "../../functions/api-router/env.ts";
import { apiRouterPolicy, documentsPolicy } from "../../functions/api-router/policy.ts";
import {
  hostedModelArns,
  hostedRerankers,
  modelEndpoints,
  previousModels,
  readsDocuments,
  referencedModels,
} from "../../lib/infrastructure/endpoints.ts";
import type { Statement } from "../../lib/platform/aws/iam-statement.ts";
import type { SearchGateway } from "../../lib/settings/configuration.ts";
import { isEndpointModel, type ModelName } from "../../lib/settings/embedding-models.ts";
import type { Models } from "../../lib/settings/model.ts";
import { bedrockModelId, endpointName, isDeployed, type ModelEndpoint } from "../../lib/settings/model-sources.ts";
import { RERANKER } from "../../lib/settings/rerank-models.ts";
import { keyEnvironment, type ServiceKey } from "../constructs/api-keys.ts";
import { type DeployedFunction, lambdaFunction } from "../constructs/function.ts";
import { boundToAliases } from "../constructs/keys.ts";
import { ownSecrets } from "../constructs/own-secrets.ts";
import { MOST_LOG_DAYS } from "../constructs/request-log.ts";
import { gatewayInput } from "../input.ts";
import type { ProjectStack } from "../project-stack.ts";
import { clusterVariables, secretKeysOf } from "./cluster.ts";

/** Adds the function that answers requests. */
export function routerFunction(
  stack: ProjectStack,
  { logKeyArn, keys, after }: { logKeyArn: string; keys: readonly ServiceKey[]; after: ITerraformDependable[] },
  network: { subnetIds: string[]; securityGroupIds: string[] },
): DeployedFunction {
  const { provisioned_concurrency, reserved_concurrency } = stack.input.config.api;
  return lambdaFunction(stack, {
    name: "api-router",
    description: "Bulk, search, hybrid search and raw backend",
    // CPU grows with memory: 1,769 MB give one vCPU.
    memoryMb: 1_769,
    timeoutSeconds: 28,
    environment: { ...environment(stack), ...keyEnvironment(stack, keys), ...MEMORY_OPTIONS },
    statements: [...apiRouterPolicy(arns(stack)), ...documentStatements(stack)],
    logRetentionDays: Math.min(MOST_LOG_DAYS, stack.logDays),
    logKeyArn,
    after,
    network,
    reservedConcurrency: reserved_concurrency.api_router,
    provisionedConcurrency: provisioned_concurrency.api_router,
  });
}

function environment(stack: ProjectStack) {
  const { gateway } = gatewayInput(stack.input);
  return {
    ...clusterVariables(gateway),
    ...(readsDocuments(gateway) && { BUCKET: stack.names.bucket() }),
  } satisfies Omit<v.InferInput<typeof ApiRouterEnv>, "AWS_REGION">;
}

function arns(stack: ProjectStack): Parameters<typeof apiRouterPolicy>[0] {
  const { names, input } = stack;
  const { gateway, found } = gatewayInput(input);
  const { auth } = gateway.opensearch;
  const own = ownSecrets(stack, "search-gateway");
  const secretKeys = secretKeysOf(stack);
  const hostedArns = (ids: readonly string[]) => [
    ...new Set(ids.flatMap((id) => hostedModelArns(id, names, input.discovery.region))),
  ];
  return {
    logGroup: names.arn("logs", `log-group:${names.functionLogGroup("api-router")}`),
    domain: auth?.type === "aws" ? found.domain.arn : undefined,
    secrets: [...(auth?.type === "basic" ? [auth.master_user_secret_arn] : []), ...(own?.secrets ?? [])],
    secretKeys: {
      keys: [...new Set([...secretKeys.keys, ...(own?.keys ?? [])])],
      aliases: [...secretKeys.aliases, ...(own?.aliases ?? [])],
      anyKey: names.arn("kms", "key/*"),
    },
    endpoints: endpointArns(stack, (model) => model !== RERANKER),
    hostedModels: hostedArns(hostedModelIds(gateway)),
    rerankEndpoints: endpointArns(stack, (model) => model === RERANKER),
    rerankModels: hostedArns(hostedRerankers(gateway)),
    campaign: input.config.api.personalized_ranking.campaign_arn,
  };
}

/** Returns what the function needs to read rules and synonyms, if there are any. */
function documentStatements(stack: ProjectStack): Statement[] {
  const { names, input } = stack;
  if (!readsDocuments(gatewayInput(input).gateway)) return [];
  const anyKey = names.arn("kms", "key/*");
  const statements = documentsPolicy({ bucket: names.bucketArn(), key: anyKey });
  return boundToAliases(stack, statements, anyKey, [names.kmsAlias()]);
}

/** Returns the ARNs of the endpoints of some models. */
const endpointArns = (stack: ProjectStack, isMeant: (model: ModelEndpoint["model"]) => boolean): string[] => {
  const endpoints = modelEndpoints(gatewayInput(stack.input).gateway).filter(({ model }) => isMeant(model));
  return [...new Set(endpoints.map((endpoint) => endpointArn(stack, endpoint)))];
};

/** Returns the ARN of an endpoint, or a pattern of all that the project deploys for its model, now or before. */
function endpointArn({ names, input }: ProjectStack, endpoint: ModelEndpoint): string {
  // The role changes minutes before the function does, which calls its old endpoints until then.
  if (isDeployed(endpoint)) return names.arn("sagemaker", `endpoint/${names.anyEndpoint(endpoint.key)}`);
  const name = endpointName(endpoint, names);
  // SageMaker writes the name of an endpoint in its ARN in lower case.
  return (
    gatewayInput(input).found.modelEndpoints?.[name]?.arn ?? names.arn("sagemaker", `endpoint/${name.toLowerCase()}`)
  );
}

/** Returns the ids of the models on Bedrock that the function calls. */
function hostedModelIds(gateway: SearchGateway): string[] {
  const { models } = gateway;
  const ids = (names: readonly ModelName[], described: Models) =>
    names.flatMap((name) => (isEndpointModel(name) ? [] : bedrockModelId(name, described)));
  return [...ids(referencedModels(gateway), models), ...ids(previousModels(gateway), models.previous ?? {})];
}

import {
  APIGatewayClient,
  type Integration as ApiIntegration,
  type UsagePlan as DeployedPlan,
  GetApiKeyCommand,
  GetResourcesCommand,
  GetRestApisCommand,
  GetStageCommand,
  GetUsagePlanKeysCommand,
  GetUsagePlansCommand,
  type Resource,
  type RestApi,
} from "@aws-sdk/client-api-gateway";
import { GetFunctionCommand, GetPolicyCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { ignoreNotFound } from "@relevance/lib/platform/aws/errors.ts";
import type { Mock } from "../api/mock.ts";
import type { CallerKey } from "../api/service.ts";
import type { UsagePlan } from "../api/usage.ts";
import { ACCOUNT_ID, rootOptions } from "./account.ts";
import type { Cloud } from "./front.ts";
import { policyAllows } from "./resource-policy.ts";

/** The cloud to read an API from. It may run in another process. */
export type ApiSource = Pick<Cloud, "endpoint" | "region">;

/** One deployed method of a resource. */
export interface DeployedMethod {
  /** For example "/application/bulk". */
  resource: string;
  /** For example "POST". "ANY" stands for all methods that the resource does not define itself. */
  method: string;
  keyRequired: boolean;
  /** `NONE`, `AWS_IAM` or `CUSTOM`. */
  authorization: string;
  /** The mock integration that answers without the function. */
  mock?: Mock | undefined;
  /** Name of the function that answers; absent with `mock`. */
  functionName?: string | undefined;
  /**
   * Whether the function's policy allows calls from this API, stage, method and path, and the API's policy allows the
   * caller.
   */
  permitted: boolean;
}

/** A deployed REST API, as API Gateway would serve it. */
export interface DeployedApi {
  id: string;
  stage: string;
  methods: DeployedMethod[];
  /** The enabled keys of the usage plans that include the stage, each with the limits of its plan. */
  callers: CallerKey[];
  /** Values of these keys. */
  keys: string[];
  /** The limits of the first key. */
  throttle: UsagePlan;
  /** The function of `/`, which answers every path without a resource of its own. */
  function: DeployedFunction;
  /** All functions that methods call. */
  functions: DeployedFunction[];
}

/** A function version that methods call. */
export interface DeployedFunction {
  name: string;
  qualifier: string;
  environment: Record<string, string>;
  /** ARN of its role. */
  role: string;
  /** SHA-256 of the uploaded archive, in hexadecimal. The local cloud unpacks the archive to a folder of this name. */
  codeSha256: string;
}

/**
 * Reads a deployed API back from the local cloud: resources, keys, permissions and functions. Throws Error for what
 * API Gateway could not serve: an unknown API, a stage without a deployment, methods without a function. `name` may also
 * be the id of the API.
 */
export async function readDeployedApi(source: ApiSource, name: string, stage: string): Promise<DeployedApi> {
  const options = { ...rootOptions(source), maxAttempts: 1 };
  const gateway = new APIGatewayClient(options);
  const lambda = new LambdaClient(options);
  const { items: apis = [] } = await gateway.send(new GetRestApisCommand({ limit: 500 }));
  const { id, deploymentId, policy } = await stagedApi(gateway, apis, name, stage);
  if (!deploymentId) throw new Error(`stage ${stage} of API ${name} has no deployment`);

  const { items: resources = [] } = await gateway.send(
    new GetResourcesCommand({ restApiId: id, limit: 500, embed: ["methods"] }),
  );
  const integrations = resources.flatMap(integrationsOf);
  const targets = targetsOf(integrations);
  const functions = await Promise.all([...targets.values()].map((target) => describeFunction(lambda, target)));
  const permissions = new Map(
    await Promise.all(
      [...targets.values()].map(async (target) => [target.name, await permissionOf(lambda, target)] as const),
    ),
  );
  const root = integrations.find(({ resource, uri }) => resource === "/" && uri !== undefined);
  const main = functions.find(({ name }) => name === targets.get(root?.uri ?? "")?.name);
  if (!main) throw new Error(`API ${name} has no function behind /`);
  return {
    id,
    stage,
    methods: integrations.map(({ uri, ...method }) => {
      const functionName = targets.get(uri ?? "")?.name;
      // A method without a function needs no permission.
      const allows = permissions.get(functionName ?? main.name);
      const request = `${id}/${stage}/${method.method === "ANY" ? "*" : method.method}${method.resource}`;
      const account = method.authorization === "AWS_IAM" ? ACCOUNT_ID : undefined;
      const admitted = policyAllows(policy, `arn:aws:execute-api:${source.region}:${ACCOUNT_ID}:${request}`, account);
      return { ...method, functionName, permitted: admitted && (allows?.(request) ?? false) };
    }),
    ...(await usageOf(gateway, id, stage)),
    function: main,
    functions,
  };
}

/** Returns the API of this name that has the stage. An interrupted Terraform may leave a second API without it. */
async function stagedApi(gateway: APIGatewayClient, apis: readonly RestApi[], name: string, stageName: string) {
  const named = apis.filter((api) => api.name === name || api.id === name);
  for (const { id = "", policy } of named) {
    const stage = await ignoreNotFound(gateway.send(new GetStageCommand({ restApiId: id, stageName })));
    if (stage) return { id, policy, deploymentId: stage.deploymentId };
  }
  if (named.length > 0) throw new Error(`API ${name} has no stage ${stageName}`);
  throw new Error(`there is no API ${name}; there are: ${apis.map((api) => api.name).join(", ")}`);
}

type Integration = Omit<DeployedMethod, "permitted" | "functionName"> & { uri?: string };

function integrationsOf({ path = "", resourceMethods = {} }: Resource): Integration[] {
  return Object.entries(resourceMethods).map(([method, found]) => {
    const { apiKeyRequired = false, authorizationType = "", methodIntegration: integration } = found;
    const described = { resource: path, method, keyRequired: apiKeyRequired, authorization: authorizationType };
    if (integration?.type === "MOCK") return { ...described, mock: mockOf(integration) };
    if (integration?.type === "AWS_PROXY" && integration.uri !== undefined)
      return { ...described, uri: integration.uri };
    throw new Error(`${method} ${path} has no function behind it`);
  });
}

function mockOf({ requestTemplates = {}, contentHandling, integrationResponses = {} }: ApiIntegration): Mock {
  const [response] = Object.values(integrationResponses);
  const { statusCode = "", responseParameters = {}, responseTemplates = {} } = response ?? {};
  return {
    requestTemplates,
    contentHandling,
    responses: {
      default: { statusCode, responseParameters, responseTemplates, contentHandling: response?.contentHandling },
    },
  };
}

interface Target {
  name: string;
  qualifier: string;
}

/** Returns the functions behind methods, by URI. */
function targetsOf(integrations: readonly Integration[]): Map<string, Target> {
  const uris = new Set(integrations.flatMap(({ uri }) => uri ?? []));
  return new Map([...uris].map((uri) => [uri, targetOf(uri)]));
}

function targetOf(uri: string): Target {
  const [, name, qualifier] = /:function:([^:/]+):([^:/]+)\/invocations$/.exec(uri) ?? [];
  if (name === undefined || qualifier === undefined) throw new Error(`${uri} names no function with a qualifier`);
  return { name, qualifier };
}

interface PolicyStatement {
  Effect: string;
  Action: string;
  Principal: { Service?: string };
  Condition?: { ArnLike?: Record<string, string> };
}

/** Returns a test whether the function's policy lets API Gateway call it for "<api>/<stage>/<method>/<path>". */
async function permissionOf(lambda: LambdaClient, { name, qualifier }: Target): Promise<(request: string) => boolean> {
  const statements = await policyOf(lambda, name, qualifier);
  const patterns = statements
    .filter(({ Effect, Action }) => Effect === "Allow" && Action === "lambda:InvokeFunction")
    .filter(({ Principal }) => Principal.Service === "apigateway.amazonaws.com")
    // Ignores statements without a source, which allow any API of any account. We never deploy one.
    .flatMap(({ Condition }) => Condition?.ArnLike?.["AWS:SourceArn"] ?? [])
    .map((arn) => arn.split(":").slice(5).join(":"));
  const literal = (text: string) => text.replaceAll(/[.+?^${}()|[\]\\]/g, "\\$&");
  const rules = patterns.map((pattern) => new RegExp(`^${literal(pattern).replaceAll("*", ".*")}$`));
  return (request) => rules.some((rule) => rule.test(request));
}

async function policyOf(lambda: LambdaClient, FunctionName: string, Qualifier: string): Promise<PolicyStatement[]> {
  const found = await ignoreNotFound(lambda.send(new GetPolicyCommand({ FunctionName, Qualifier })));
  return (JSON.parse(found?.Policy ?? "{}") as { Statement?: PolicyStatement[] }).Statement ?? [];
}

async function usageOf(
  gateway: APIGatewayClient,
  id: string,
  stage: string,
): Promise<Pick<DeployedApi, "callers" | "keys" | "throttle">> {
  const { items: plans = [] } = await gateway.send(new GetUsagePlansCommand({ limit: 500 }));
  const ours = plans.filter(({ apiStages = [] }) => apiStages.some((one) => one.apiId === id && one.stage === stage));
  const callers = (await Promise.all(ours.map((plan) => callersOf(gateway, plan)))).flat();
  return { callers, keys: callers.map(({ value }) => value), throttle: ours[0] ? limitsOf(ours[0]) : {} };
}

async function callersOf(gateway: APIGatewayClient, plan: DeployedPlan): Promise<CallerKey[]> {
  const { items: members = [] } = await gateway.send(new GetUsagePlanKeysCommand({ usagePlanId: plan.id, limit: 500 }));
  const keys = await Promise.all(
    members.map(({ id: apiKey }) => gateway.send(new GetApiKeyCommand({ apiKey, includeValue: true }))),
  );
  return keys.flatMap(({ id, enabled, value }) =>
    enabled && id !== undefined && value !== undefined ? [{ id, value, usage: limitsOf(plan) }] : [],
  );
}

function limitsOf({ throttle, quota }: DeployedPlan): UsagePlan {
  const { rateLimit, burstLimit } = throttle ?? {};
  const dailyQuota = quota?.period === "DAY" ? quota.limit : undefined;
  return {
    ...(rateLimit !== undefined && { rateLimit }),
    ...(burstLimit !== undefined && { burstLimit }),
    ...(dailyQuota !== undefined && { dailyQuota }),
  };
}

async function describeFunction(lambda: LambdaClient, { name, qualifier }: Target): Promise<DeployedFunction> {
  const { Configuration } = await lambda.send(new GetFunctionCommand({ FunctionName: name, Qualifier: qualifier }));
  const sha256 = Configuration?.CodeSha256;
  if (sha256 === undefined) throw new Error(`function ${name} has no code at ${qualifier}`);
  return {
    name,
    qualifier,
    environment: Configuration?.Environment?.Variables ?? {},
    role: Configuration?.Role ?? "",
    codeSha256: Buffer.from(sha256, "base64").toString("hex"),
  };
}

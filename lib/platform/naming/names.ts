import { createHash } from "node:crypto";
import type { Dataset } from "../contract/recommendation.ts";
import { DATASETS, RECIPE_KINDS } from "../contract/recommendation.ts";
import { domainSuffixOf, partitionOf } from "./partitions.ts";

/** The longest name that each service accepts, in characters. Source: the API references. */
export const LIMITS = {
  lambda: 64,
  role: 64,
  bucket: 63,
  sagemaker: 63,
  firehose: 64,
  schedule: 64,
  rule: 64,
  queue: 80,
  stateMachine: 80,
  personalize: 63,
  table: 255,
  alarm: 255,
  dashboard: 255,
  securityGroup: 255,
  scalingPolicy: 256,
  glue: 255,
  topic: 256,
  kmsAlias: 256,
  logGroup: 512,
  parameter: 1_011,
  apiGateway: 255,
} as const;

/** The values that every name is derived from. */
export interface ProjectScope {
  /** project_name of project.yaml: at most 24 characters. */
  project: string;
  /** The account's 12 digits. */
  account: string;
  region: string;
  /** `aws.role_path` of project.yaml; default `/`. */
  rolePath?: string;
}

/** The two services. */
export type Service = "search-gateway" | "recommendation";

/** The functions: the folders of `functions/`; recommendation-log-handler is log-handler, deployed a second time. */
export type FunctionName =
  | "api-router"
  | "log-handler"
  | "search-events"
  | "cluster-scaler"
  | "suggestions"
  | "recommendation-api"
  | "recommendation-log-handler"
  | "realtime-sync"
  | "personalize-manager"
  | "etl"
  | "training";

/** Roles of AWS services, not of functions. */
export type ServiceRole =
  | "api-gateway-logs"
  | `${Service}-authorizer`
  | "personalize"
  | "sagemaker"
  | "search-logs-delivery"
  | "search-events-delivery"
  | "recommendation-logs-delivery"
  | "events-delivery"
  | "log-subscription"
  | "state-machines"
  | "training-report"
  | "training-events"
  | "retraining"
  | "scheduler"
  | "suggestions-schedule";

/** Delivery streams to the bucket. */
export type StreamName = "search-logs" | "search-events" | "recommendation-logs" | "events";

/** Tables of the recommendation service. `ingestion` holds the number of accepted events. */
export type TableName = "items" | "users" | "popular-items" | "built-in" | "training" | "ingestion";

/** State machines of the recommendation service. */
export type StateMachineName = "etl" | "training" | "teardown";

/** The state machine that notifies people how a training ended; only a rule starts it. */
export const TRAINING_REPORT = "training-report";

/** Terraform stacks. */
export type StackName = "storage" | "personalization" | "filters" | "foundation" | "recommendation" | "search-gateway";

/** The alias through which every caller invokes a function. */
export const LIVE_ALIAS = "live";

/** Stage of both REST APIs, the last segment of their execute-api URLs. */
export const API_STAGE = "v1";

/** Name of the only production variant of an endpoint. */
export const ENDPOINT_VARIANT = "all";

/** Returns every cloud name of a project in an account and region. No other code builds such names. */
export function namesOf(place: ProjectScope) {
  const { project, account, region, rolePath = "/" } = place;
  const partition = partitionOf(region);
  const named = (name: string, limit: number) => shorten(`${project}-${name}`, limit);
  const bucket = () => shorten(`${project}-relevance-${account}-${region}`, LIMITS.bucket);
  const parameter = (path: string) => shorten(`/relevance/${project}/${path}`, LIMITS.parameter);
  const dashed = (model: string) => model.replaceAll("_", "-");
  const arn = (service: string, resource: string) => `arn:${partition}:${service}:${region}:${account}:${resource}`;
  const personalize = personalizeNames(project);

  return {
    ...personalize,

    /** A function is named after the folder of its code. */
    function: (name: FunctionName) => named(name, LIMITS.lambda),
    /** Role of a function. Roles are global in an account, so the region is part of the name. */
    functionRole: (name: FunctionName) => shorten(`${project}-${name}-${region}`, LIMITS.role),
    /** The role that a service assumes. */
    role: (name: ServiceRole) => shorten(`${project}-${name}-${region}`, LIMITS.role),
    functionLogGroup: (name: FunctionName) => `/aws/lambda/${named(name, LIMITS.lambda)}`,
    accessLogGroup: (service: Service) => `/aws/apigateway/${named(service, LIMITS.apiGateway)}`,
    /** With this prefix, vended logs need no entry for each group in the account's resource policies. */
    stateMachineLogGroup: (name: StateMachineName | typeof TRAINING_REPORT) =>
      `/aws/vendedlogs/states/${named(name, LIMITS.stateMachine)}`,
    streamLogGroup: (name: StreamName) => `/aws/kinesisfirehose/${named(name, LIMITS.firehose)}`,
    /** The group that SageMaker writes to. Takes the name of an endpoint, or a pattern of names. */
    endpointLogGroup: (endpoint: string) => `/aws/sagemaker/Endpoints/${endpoint}`,

    /** Bucket names are global, so account and region are part of the name. */
    bucket,
    kmsAlias: () => shorten(`alias/${project}-relevance`, LIMITS.kmsAlias),
    /** Alias of the key of a stack's log groups, which is in the stack itself: CloudWatch Logs accepts no alias. */
    serviceKmsAlias: (service: Service | "personalization") => shorten(`alias/${project}-${service}`, LIMITS.kmsAlias),
    table: (name: TableName) => named(name, LIMITS.table),
    queue: (name: "realtime" | "realtime-dead-letters" | "request-log-failed" | "recommendation-log-failed") =>
      named(name, LIMITS.queue),
    stream: (name: StreamName) => named(name, LIMITS.firehose),
    stateMachine: (name: StateMachineName | typeof TRAINING_REPORT) => named(name, LIMITS.stateMachine),
    /** An EventBridge rule. */
    rule: (name: typeof TRAINING_REPORT) => named(name, LIMITS.rule),
    schedule: (name: "cluster-scaler" | "suggestions" | "retraining") => named(name, LIMITS.schedule),
    topic: () => named("alarms", LIMITS.topic),
    alarm: (name: string) => named(name, LIMITS.alarm),
    /** Dashboards are global in an account, so the region is part of the name. */
    dashboard: (service: Service) => shorten(`${project}-${service}-${region}`, LIMITS.dashboard),
    /** Name tag of an interface endpoint. */
    vpcEndpoint: (service: string) => `${project}-${service.replaceAll(".", "-")}`,
    scalingPolicy: (name: string) => named(name, LIMITS.scalingPolicy),
    securityGroup: (name: "functions" | "endpoints" | `${string}-functions`) => named(name, LIMITS.securityGroup),
    /** Athena does not accept hyphens in database names. */
    glueDatabase: () => shorten(`${project}_relevance`, LIMITS.glue).replaceAll("-", "_"),
    glueTable: (name: "search_logs" | "search_events") => name,

    api: (service: Service) => named(service, LIMITS.apiGateway),
    /** The plan of a key; `key` is absent for the key named `default`. */
    usagePlan: (service: Service, key?: string) => named(key ? `${service}-${key}` : service, LIMITS.apiGateway),
    /** While keys are rotated, the second key has a number. A dot before it, as names of keys have hyphens. */
    apiKey: (service: Service, number = 1, key?: string) => {
      const end = number > 1 ? `${key ? "." : "-"}${number}` : "";
      return named(`${service}-key${key ? `-${key}` : ""}${end}`, LIMITS.apiGateway);
    },

    /** Stable, because callers and scaling policies refer to it. */
    endpoint: (model: string) => named(dashed(model), LIMITS.sagemaker),
    /** Pattern of the names of a model's endpoints, whatever hash of its vectors, or none, they end with. */
    anyEndpoint: (model: string) =>
      named(dashed(model), LIMITS.sagemaker)
        .toLowerCase()
        .replace(/-[0-9a-f]{8}$/, "*"),
    /** SageMaker's models and endpoint configurations are immutable, so their name contains a hash of their content. */
    endpointRevision: (model: string, revision: string) =>
      named(`${dashed(model)}-${shortHash(revision)}`, LIMITS.sagemaker),

    /** Parameters that outlive a service, written by the command line. */
    serviceParameter: (service: Service, name: "api-url" | "version" | "deployed-at") =>
      parameter(`${service}/${name}`),
    /** Numbers of the API keys of a service, joined by commas: two while keys are rotated, else none. */
    apiKeyNumbersParameter: (service: Service) => parameter(`${service}/api-keys`),
    /** Function versions of the last deployments, for `rollback`; written by the command line. */
    deploymentsParameter: () => parameter("deployments"),
    /** The secret with the key that hashes user ids in the request log. */
    userIdKeyParameter: () => parameter("search-gateway/user-id-key"),
    /** The secret that signs the tokens of a key. */
    tokenSecret: (key: string) => parameter(`tokens/${key}`),
    /** The secret with the values of the API keys of both services. */
    apiKeysSecret: () => parameter("api-keys"),
    /** Tracking id of the event tracker; written by personalize-manager. */
    eventTrackerParameter: () => parameter("recommendation/event-tracker"),
    /** ARN of the active campaign of a recipe; written by training. */
    campaignParameter: (recipe: string) => parameter(`recommendation/campaigns/${recipe}`),
    /** ARN of the filter that currently has a name in filter.yaml; written by personalize-manager. */
    filterParameter: (filter: string) => parameter(`recommendation/filters/${filter}`),
    /** ARN of a dataset, which contains the dataset group and the type, but not the dataset's name. */
    datasetArn: (dataset: Dataset) => arn("personalize", `dataset/${project}/${dataset.toUpperCase()}S`),
    datasetGroupArn: () => arn("personalize", `dataset-group/${personalize.datasetGroup()}`),
    campaignArn: (recipe: string) => arn("personalize", `campaign/${personalize.campaign(recipe)}`),
    /** Prefix of every parameter of the project. */
    parameterPrefix: () => `/relevance/${project}/`,

    /** Key of a stack's Terraform state in a bucket, which may hold that of several regions and accounts. */
    stateKey: (stack: StackName, prefix = project) => `${prefix}/${account}-${region}/${stack}.tfstate`,
    /** Path of a stack's Terraform state on this machine, where one folder may be deployed to several accounts. */
    stateFile: (stack: StackName) => `${project}/${account}-${region}/${stack}.tfstate`,

    /** ARN of a resource in this account and region: `arn("lambda", "function:x")`. */
    arn,
    /** ARN of a role: IAM has no region. Roles of the project are below `rolePath`. */
    roleArn: (roleName: string, path = rolePath) => `arn:${partition}:iam::${account}:role${path}${roleName}`,
    bucketArn: () => `arn:${partition}:s3:::${bucket()}`,
    partition: () => partition,
    /** ARN of an integration of Step Functions: `taskArn("lambda:invoke")`. */
    taskArn: (integration: string) => `arn:${partition}:states:::${integration}`,
    /**
     * The principal of CloudWatch Logs in key policies. It is the only service here whose principal has a region; the
     * others are `<service>.amazonaws.com` in every partition. Source: aws-cdk, region-info, `Default.servicePrincipal`.
     */
    logsPrincipal: () => `logs.${region}.${domainSuffixOf(region)}`,
    /** Value of the condition `kms:ViaService`. */
    viaService: (service: string) => `${service}.${region}.${domainSuffixOf(region)}`,
  };
}

/** Every cloud name of a project in an account and region. */
export type Names = ReturnType<typeof namesOf>;

/** Returns whether a project's security group, by its name, is one of functions, and not of interface endpoints. */
export const isFunctionsGroup = (name: string): boolean => name.endsWith("-functions");

const SUFFIX_LENGTH = 10;

/** Returns the names of a project's resources in Personalize, which contain neither account nor region. */
export function personalizeNames(project: string) {
  const named = (name: string) => shorten(`${project}-${name}`, LIMITS.personalize);
  const dashed = (recipe: string) => recipe.replaceAll("_", "-");
  const solutionPrefix = (recipe: string) => `${project}-${dashed(recipe)}-`;
  const filterStart = (filter: string) => `${shorten(`${project}-${filter}`, LIMITS.personalize - SUFFIX_LENGTH - 1)}-`;

  return {
    datasetGroup: () => project,
    /** Schemas are immutable, so the name contains a hash of the content. */
    schema: (dataset: string, content: unknown) => named(`${dataset}-${hashOf(content)}`),
    /** Prefix of the names of a dataset's schemas, current and superseded; a hash of eight digits follows. */
    schemaPrefix: (dataset: string) => `${project}-${dataset}-`,
    dataset: (dataset: string) => named(dataset),
    eventTracker: () => named("events"),
    importJob: (dataset: string, execution: string) => named(`${dataset}-${shortHash(execution, 12)}`),
    /** A solution's settings are immutable, so the name contains a hash of them. */
    solution: (recipe: string, settings: unknown) => `${solutionPrefix(recipe)}${hashOf(settings)}`,
    /** Prefix of the names of a recipe's solutions, current and superseded. */
    solutionPrefix,
    /** Stable: training switches the campaign's solution version. */
    campaign: (recipe: string) => named(dashed(recipe)),
    /** `<project>-<filter>-<number>`. Filters are immutable, so the number is derived from the expression. */
    filter: (filter: string, expression: string) => `${filterStart(filter)}${numericHash(expression)}`,
    /** Names in ARNs of policies, without those of a project whose name goes on; filters may have any name. */
    patterns: {
      schema: DATASETS.map((dataset) => `${project}-${dataset}-*`),
      "dataset-import-job": DATASETS.map((dataset) => `${project}-${dataset}-*`),
      solution: RECIPE_KINDS.map((recipe) => `${solutionPrefix(recipe)}*`),
      campaign: RECIPE_KINDS.map((recipe) => named(dashed(recipe))),
      filter: [`${project}-*`],
    },
    /** Prefix of the names of a filter's resources, current and superseded; ten digits follow. */
    filterPrefix: filterStart,
  };
}

const HASH_LENGTH = 8;

/** Returns the first characters of the SHA-256 of a text, in hexadecimal. */
export function shortHash(text: string, length = HASH_LENGTH): string {
  return createHash("sha256").update(text).digest("hex").slice(0, length);
}

/** Returns the text if it has at most `limit` characters, else its start and a hash of the whole, `limit` long. */
function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit - HASH_LENGTH - 1)}-${shortHash(text)}`;
}

/** Returns a hash of a value that does not depend on the order of its keys. */
export function hashOf(value: unknown): string {
  return shortHash(JSON.stringify(sorted(value)));
}

/** Returns a number of ten digits that is derived from a text. */
function numericHash(text: string): string {
  return createHash("sha256").update(text).digest().readUInt32BE(0).toString().padStart(10, "0");
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, below]) => [key, sorted(below)]));
}

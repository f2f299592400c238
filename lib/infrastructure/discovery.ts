import * as v from "valibot";

/** Format of a saved discovery. Increase it when the shape changes, so that older ones are rejected, not misread. */
export const DISCOVERY_FORMAT = 1;

/**
 * Services that functions in the VPC call through interface endpoints, by the last part of their names. The first four are
 * those of api-router, the others those of the functions that `vpc.functions: all` adds.
 */
export const ENDPOINT_SERVICES = [
  "sagemaker.runtime",
  "bedrock-runtime",
  "secretsmanager",
  "personalize-runtime",
  "personalize-events",
  "personalize",
  "kinesis-firehose",
  "sqs",
  "ssm",
  "states",
  "monitoring",
  "es",
] as const;

/** Services with gateway endpoints, which cost nothing and belong to route tables. */
export const GATEWAY_SERVICES = ["s3", "dynamodb"] as const;

/** One of these services. */
export type GatewayService = (typeof GATEWAY_SERVICES)[number];

/** One of these services. */
export type EndpointService = (typeof ENDPOINT_SERVICES)[number];

/** Returns the usual name of a service's interface endpoints in a region. */
export const endpointServiceName = (region: string, service: EndpointService | GatewayService): string =>
  `com.amazonaws.${region}.${service}`;

const Subnet = v.object({ id: v.string(), zone: v.string() });

const Domain = v.object({
  name: v.string(),
  arn: v.string(),
  /** Host name inside the VPC. */
  endpoint: v.string(),
  /** The version, such as "2.19". */
  engineVersion: v.string(),
  vpcId: v.string(),
  subnets: v.array(Subnet),
  securityGroupIds: v.array(v.string()),
  instanceCount: v.number(),
  /** The number of zones with data nodes; 1 without zone awareness. */
  zones: v.number(),
  fineGrainedAccess: v.boolean(),
});

const InterfaceEndpoint = v.object({
  service: v.picklist(ENDPOINT_SERVICES),
  id: v.string(),
  /** Whether this project's Terraform created it, so that it must stay in its stack. */
  owned: v.boolean(),
});

const GatewayEndpoint = v.object({
  service: v.picklist(GATEWAY_SERVICES),
  id: v.string(),
  /** Whether this project's Terraform created it. */
  owned: v.boolean(),
  routeTableIds: v.array(v.string()),
});

const Network = v.object({
  vpcId: v.string(),
  /** Every IPv4 block of the VPC. */
  cidrBlocks: v.array(v.string()),
  /** Subnets in which functions run: `vpc.subnet_ids`, or those of the domain. */
  functionSubnets: v.array(Subnet),
  /** Endpoints with private DNS names, which serve the whole VPC. */
  endpoints: v.array(InterfaceEndpoint),
  /** Other projects with functions in the VPC, which may use this project's endpoints; absent if there are none. */
  otherProjects: v.optional(v.array(v.string())),
  /** Zones that a service's endpoints can be in, by service. */
  endpointZones: v.record(v.string(), v.array(v.string())),
  /** With `vpc.functions: all`, or rules: gateway endpoints, the route tables of the functions, and the prefix lists by service. */
  gatewayEndpoints: v.optional(v.array(GatewayEndpoint)),
  routeTables: v.optional(v.array(v.string())),
  prefixLists: v.optional(v.record(v.string(), v.string())),
  /** Names of services whose endpoints do not have the usual name, by service; some have another one in China. */
  endpointServiceNames: v.optional(v.record(v.string(), v.string())),
});

const SearchGatewayPart = v.object({
  domain: Domain,
  network: Network,
  /** Hosted zone of the DNS record; absent if there is no record to create. */
  hostedZoneId: v.optional(v.string()),
  /** KMS key or alias of the secret for basic authentication; absent if it is the account's default key. */
  secretKeyArn: v.optional(v.string()),
  /** The existing endpoints that model.yaml names, by their names; absent if it names none. */
  modelEndpoints: v.optional(v.record(v.string(), v.object({ arn: v.string(), variant: v.string() }))),
  /**
   * Instances that the project's own scaling endpoints have now, by the key of the endpoint. An update starts with as
   * many, since it would otherwise reset a fleet that is scaled out to its minimum.
   */
  runningInstances: v.optional(v.record(v.string(), v.number())),
});

const PersonalizePart = v.object({
  /**
   * Markers of resources to repair, by the id of the resource in its stack. A new marker makes Terraform update the
   * resource. The marker then stays, so that nothing more is planned once the repair is done.
   */
  repairs: v.record(v.string(), v.string()),
});

const NamedKeys = v.record(v.string(), v.array(v.number()));

/**
 * The result of the read-only step of `plan`. It is plain JSON, saved beside the plan, and all that the
 * stacks know about the account.
 */
export const DiscoverySchema = v.object({
  format: v.literal(DISCOVERY_FORMAT),
  account: v.string(),
  region: v.string(),
  apiGateway: v.object({
    /** Role with which API Gateway writes logs in this account and region; absent if none is set. */
    logRoleArn: v.optional(v.string()),
    /** The role that `cloud_watch_role_name`, or its default, names. */
    role: v.object({ name: v.string(), exists: v.boolean(), owned: v.boolean() }),
  }),
  /** Numbers of the API keys of each service, more than one while keys are rotated. */
  apiKeys: v.object({ "search-gateway": v.array(v.number()), recommendation: v.array(v.number()) }),
  /** The same of the keys that `keys` of api.yaml lists, by their names; a key that was never rotated has none. */
  namedKeys: v.optional(v.object({ "search-gateway": NamedKeys, recommendation: NamedKeys })),
  /** Absent if the configuration does not enable the search gateway. */
  searchGateway: v.optional(SearchGatewayPart),
  /** Absent if the configuration does not enable the recommendation service. */
  personalize: v.optional(PersonalizePart),
});

export type Discovery = v.InferOutput<typeof DiscoverySchema>;
export type SearchGatewayDiscovery = v.InferOutput<typeof SearchGatewayPart>;
export type PersonalizeDiscovery = v.InferOutput<typeof PersonalizePart>;
export type DomainDiscovery = v.InferOutput<typeof Domain>;
export type NetworkDiscovery = v.InferOutput<typeof Network>;

/** Parses a saved discovery. Throws DiscoveryError if the text is not a discovery of this version. */
export function parseDiscovery(text: string): Discovery {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new DiscoveryError(["the saved discovery is not JSON: run `relevance plan` again"]);
  }
  const result = v.safeParse(DiscoverySchema, value);
  if (result.success) return result.output;
  const issue = result.issues[0];
  const place = v.getDotPath(issue) ?? "the whole";
  throw new DiscoveryError([`the saved discovery is of another version (${place}): run \`relevance plan\` again`]);
}

/** Returns the text to save. */
export function formatDiscovery(discovery: Discovery): string {
  return `${JSON.stringify(discovery, undefined, 2)}\n`;
}

/** Something that AWS would reject or that the account lacks. Each problem says what is wrong and what to do. */
export class DiscoveryError extends Error {
  override name = "DiscoveryError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join("\n"), options);
    this.problems = problems;
  }
}

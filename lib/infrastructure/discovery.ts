import * as v from "valibot";

/** Raised when the shape changes: a saved discovery of another format is refused, not misread. */
const FORMAT = 1;

/** Services that functions in the network call through interface endpoints, by the last part of their names. */
export const ENDPOINT_SERVICES = [
  "sagemaker.runtime",
  "bedrock-runtime",
  "secretsmanager",
  "personalize-runtime",
] as const;

/** One of them. */
export type EndpointService = (typeof ENDPOINT_SERVICES)[number];

const Subnet = v.object({ id: v.string(), zone: v.string() });

const Domain = v.object({
  name: v.string(),
  arn: v.string(),
  /** Host name inside the VPC. */
  endpoint: v.string(),
  /** As in "2.19". */
  engineVersion: v.string(),
  vpcId: v.string(),
  subnets: v.array(Subnet),
  securityGroupIds: v.array(v.string()),
  instanceCount: v.number(),
  /** Zones that data nodes are spread over; 1 without zone awareness. */
  zones: v.number(),
  fineGrainedAccess: v.boolean(),
});

const InterfaceEndpoint = v.object({
  service: v.picklist(ENDPOINT_SERVICES),
  id: v.string(),
  /** Made by Terraform of this project: it goes on being in its stack. */
  owned: v.boolean(),
});

const Network = v.object({
  vpcId: v.string(),
  /** Every IPv4 block of the VPC. */
  cidrBlocks: v.array(v.string()),
  /** Where functions run: `vpc.subnet_ids`, or the domain's. */
  functionSubnets: v.array(Subnet),
  /** Those with private names, which serve the whole VPC. */
  endpoints: v.array(InterfaceEndpoint),
  /** Zones that a service's endpoints can be in. */
  endpointZones: v.record(v.string(), v.array(v.string())),
});

const SearchGatewayPart = v.object({
  domain: Domain,
  network: Network,
  /** Zone of the DNS record; absent when there is none to create. */
  hostedZoneId: v.optional(v.string()),
  /** KMS key or alias of the secret of basic authentication; absent where it is the account's default key. */
  secretKeyArn: v.optional(v.string()),
});

const PersonalizePart = v.object({
  /**
   * Markers by the id of the resource in its stack. Another marker than the one that was applied makes an update; the same
   * one stays, so that nothing is planned once the repair is done.
   */
  repairs: v.record(v.string(), v.string()),
});

/**
 * What the read-only step of `plan` has read from the account. Plain JSON: saved beside the plan, and all that stacks
 * know of the account.
 */
export const DiscoverySchema = v.object({
  format: v.literal(FORMAT),
  account: v.string(),
  region: v.string(),
  apiGateway: v.object({
    /** Role that API Gateway writes logs with in this account and region; absent when none is set. */
    logRoleArn: v.optional(v.string()),
    /** The role that `cloud_watch_role_name`, or its default, names. */
    role: v.object({ name: v.string(), exists: v.boolean(), owned: v.boolean() }),
  }),
  /** Numbers of the API keys of each service: more than one while keys are changed over. */
  apiKeys: v.object({ "search-gateway": v.array(v.number()), recommendation: v.array(v.number()) }),
  /** Absent when the configuration does not enable the search gateway. */
  searchGateway: v.optional(SearchGatewayPart),
  /** Absent when the configuration does not enable the recommendation service. */
  personalize: v.optional(PersonalizePart),
});

export type Discovery = v.InferOutput<typeof DiscoverySchema>;
export type SearchGatewayDiscovery = v.InferOutput<typeof SearchGatewayPart>;
export type PersonalizeDiscovery = v.InferOutput<typeof PersonalizePart>;
export type DomainDiscovery = v.InferOutput<typeof Domain>;
export type NetworkDiscovery = v.InferOutput<typeof Network>;

/** A discovery as it was saved. Throws DiscoveryError when the text is no discovery of this version. */
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

/** The text to save. */
export function formatDiscovery(discovery: Discovery): string {
  return `${JSON.stringify(discovery, undefined, 2)}\n`;
}

/** A new discovery's constant part. */
export const DISCOVERY_FORMAT = FORMAT;

/** What AWS would refuse, or what the account lacks: each problem says what is wrong and what to do. */
export class DiscoveryError extends Error {
  override name = "DiscoveryError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[], options?: ErrorOptions) {
    super(problems.join("\n"), options);
    this.problems = problems;
  }
}

import type { Inventory } from "../../lib/personalize/resources/inventory.ts";
import type { Names } from "../../lib/platform/naming/names.ts";

/** A domain, as OpenSearch Service describes it. */
export interface FoundDomain {
  arn: string;
  /** Such as "OpenSearch_2.19". */
  engineVersion: string;
  /** Its host names: those of the VPC endpoint and the custom one. */
  endpoints: string[];
  vpcId: string | undefined;
  subnetIds: string[];
  securityGroupIds: string[];
  instanceCount: number;
  zones: number;
  fineGrainedAccess: boolean;
}

/** A VPC and its DNS settings, which private endpoint names need. */
export interface FoundVpc {
  cidrBlocks: string[];
  dnsSupport: boolean;
  dnsHostnames: boolean;
}

/** An interface endpoint of a VPC. */
export interface FoundEndpoint {
  id: string;
  /** Such as "com.amazonaws.eu-west-1.secretsmanager". */
  serviceName: string;
  privateNames: boolean;
  tags: Readonly<Record<string, string>>;
}

/** A gateway endpoint of a VPC. */
export interface FoundGateway {
  id: string;
  /** Such as "com.amazonaws.eu-west-1.s3". */
  serviceName: string;
  routeTableIds: string[];
  tags: Readonly<Record<string, string>>;
}

/** A service of AWS that interface endpoints lead to. */
export interface FoundEndpointService {
  /** Such as "com.amazonaws.eu-west-1.secretsmanager". */
  name: string;
  /** The availability zones that its endpoints can be in. */
  zones: string[];
  /** The host names that an endpoint with private names redirects. */
  privateNames: string[];
}

/** A TLS certificate of ACM. */
export interface FoundCertificate {
  /** Such as "ISSUED". */
  status: string;
  /** The host names it covers, including wildcards. */
  names: string[];
  expires: Date | undefined;
}

/** A public or private zone of Route 53. */
export interface FoundZone {
  id: string;
  /** Without the trailing dot. */
  name: string;
  private: boolean;
}

/**
 * The calls of discovery. They return undefined for what does not exist and throw the SDK's errors otherwise;
 * `discover` explains expired credentials and missing permissions.
 */
export interface DiscoveryClients {
  account(): Promise<string>;
  domain(name: string): Promise<FoundDomain | undefined>;
  vpc(id: string): Promise<FoundVpc | undefined>;
  /** Returns those of the subnets that exist. */
  subnets(ids: readonly string[]): Promise<Array<{ id: string; vpcId: string; zone: string }>>;
  /** Interface endpoints of a VPC that are available or pending. */
  endpoints(vpcId: string): Promise<FoundEndpoint[]>;
  /** Gateway endpoints of a VPC that are available or pending. */
  gateways(vpcId: string): Promise<FoundGateway[]>;
  /** Returns the route tables of subnets: their own, or the main one of the VPC. */
  routeTables(vpcId: string, subnetIds: readonly string[]): Promise<string[]>;
  /** Returns the id of the prefix list of a service's gateway endpoints. */
  prefixList(serviceName: string): Promise<string | undefined>;
  /** Returns the service of interface endpoints that has one of these names; undefined if the region has none. */
  endpointService(names: readonly string[]): Promise<FoundEndpointService | undefined>;
  /** Names of the private hosted zones that somebody associated with a VPC, not those of its interface endpoints. */
  zonesOfVpc(vpcId: string): Promise<string[]>;
  /** Names of the projects with functions in a VPC, which each have a security group. */
  projectsInVpc(vpcId: string): Promise<string[]>;
  /** The role in API Gateway's account settings. */
  apiGatewayLogRole(): Promise<string | undefined>;
  role(name: string): Promise<{ tags: Readonly<Record<string, string>> } | undefined>;
  certificate(arn: string): Promise<FoundCertificate | undefined>;
  /** Hosted zones with exactly this name. */
  zonesNamed(name: string): Promise<FoundZone[]>;
  zone(id: string): Promise<FoundZone | undefined>;
  /** KMS key or alias of a secret; undefined for the account's default key. */
  secret(arn: string): Promise<{ kmsKey: string | undefined } | undefined>;
  /** ARN and status of a SageMaker endpoint, such as "InService", and the name of its first variant. */
  modelEndpoint(name: string): Promise<{ arn: string; status: string; variant: string } | undefined>;
  /** Returns names and instances of the endpoints whose names contain a text; instances are those they should have. */
  endpointsNamed(part: string): Promise<Array<{ name: string; instances: number }>>;
  parameter(name: string): Promise<string | undefined>;
  /** All Personalize resources of the project. */
  inventory(names: Names): Promise<Inventory>;
  /** How many filters a dataset group may have. Undefined if Service Quotas does not list it. */
  filterQuota(): Promise<number | undefined>;
}

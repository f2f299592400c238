import type { Names } from "../../lib/core/naming/names.ts";
import type { Inventory } from "../../lib/personalize/resources/inventory.ts";

/** A domain as OpenSearch Service describes it. */
export interface FoundDomain {
  arn: string;
  /** As in "OpenSearch_2.19". */
  engineVersion: string;
  /** Host names that reach it: of the VPC endpoint, and its custom one. */
  endpoints: string[];
  vpcId: string | undefined;
  subnetIds: string[];
  securityGroupIds: string[];
  instanceCount: number;
  zones: number;
  fineGrainedAccess: boolean;
}

/** A VPC with what private names of endpoints need. */
export interface FoundVpc {
  cidrBlocks: string[];
  dnsSupport: boolean;
  dnsHostnames: boolean;
}

/** An interface endpoint of a VPC. */
export interface FoundEndpoint {
  id: string;
  /** As in "com.amazonaws.eu-west-1.secretsmanager". */
  serviceName: string;
  privateNames: boolean;
  tags: Readonly<Record<string, string>>;
}

/** A TLS certificate of ACM. */
export interface FoundCertificate {
  /** As in "ISSUED". */
  status: string;
  /** Names that it is for, wildcards included. */
  names: string[];
  expires: Date | undefined;
}

/** A public or private zone of Route 53. */
export interface FoundZone {
  id: string;
  /** Without a dot at its end. */
  name: string;
  private: boolean;
}

/**
 * The reads of discovery. What is not there is undefined; anything else that goes wrong is thrown as the SDK throws it:
 * `discover` says what to do about expired credentials and missing permissions.
 */
export interface DiscoveryClients {
  account(): Promise<string>;
  domain(name: string): Promise<FoundDomain | undefined>;
  vpc(id: string): Promise<FoundVpc | undefined>;
  /** The subnets that exist of those named. */
  subnets(ids: readonly string[]): Promise<Array<{ id: string; vpcId: string; zone: string }>>;
  /** Interface endpoints of a VPC that serve it or soon will. */
  endpoints(vpcId: string): Promise<FoundEndpoint[]>;
  /** Zones of a service's endpoints; undefined when it has none in this region. */
  endpointZones(serviceName: string): Promise<string[] | undefined>;
  /** Role of API Gateway's account setting. */
  apiGatewayLogRole(): Promise<string | undefined>;
  role(name: string): Promise<{ tags: Readonly<Record<string, string>> } | undefined>;
  certificate(arn: string): Promise<FoundCertificate | undefined>;
  /** Zones of exactly this name. */
  zonesNamed(name: string): Promise<FoundZone[]>;
  zone(id: string): Promise<FoundZone | undefined>;
  /** A secret's KMS key or alias, none for the account's default key. */
  secret(arn: string): Promise<{ kmsKey: string | undefined } | undefined>;
  parameter(name: string): Promise<string | undefined>;
  /** All that the project has in Personalize. */
  inventory(names: Names): Promise<Inventory>;
}

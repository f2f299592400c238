import type { DiscoveryClients } from "../../../cli/discovery/clients.ts";

const VPC = "vpc-0a1b2c3d4e5f67890";

/** The host name of a service in a region: "com.amazonaws.eu-west-1.sagemaker.runtime" is runtime.sagemaker.eu-west-1.… */
function privateName(serviceName: string): string {
  const [, , region, ...service] = serviceName.split(".");
  return `${service.toReversed().join(".")}.${region}.amazonaws.com`;
}

/** An account that has what the example configurations name; tests replace single reads. */
export function account(reads: Partial<DiscoveryClients> = {}): DiscoveryClients {
  return {
    account: async () => "123456789012",
    domain: async () => ({
      arn: "arn:aws:es:eu-west-1:123456789012:domain/books",
      engineVersion: "OpenSearch_2.19",
      endpoints: ["vpc-books-abcdefghijklmnopqrstuvwxyz.eu-west-1.es.amazonaws.com"],
      vpcId: VPC,
      subnetIds: ["subnet-0a1b2c3d4e5f67890", "subnet-0b1c2d3e4f5a67890"],
      securityGroupIds: ["sg-0a1b2c3d4e5f67890"],
      instanceCount: 2,
      zones: 2,
      fineGrainedAccess: false,
    }),
    vpc: async () => ({ cidrBlocks: ["10.20.0.0/16"], dnsSupport: true, dnsHostnames: true }),
    subnets: async (ids) => ids.map((id, index) => ({ id, vpcId: VPC, zone: `eu-west-1${"abc"[index % 3]}` })),
    endpoints: async () => [],
    gateways: async () => [],
    routeTables: async () => ["rtb-1"],
    prefixList: async (name) => `pl-of-${name.split(".").at(-1)}`,
    endpointService: async ([name = ""]) => ({
      name,
      zones: ["eu-west-1a", "eu-west-1b"],
      privateNames: [privateName(name)],
    }),
    zonesOfVpc: async () => [],
    projectsInVpc: async () => [],
    apiGatewayLogRole: async () => undefined,
    role: async () => undefined,
    certificate: async () => ({ status: "ISSUED", names: ["search.example.org"], expires: undefined }),
    zonesNamed: async () => [{ id: "Z1", name: "example.org", private: false }],
    zone: async (id) => ({ id, name: "example.org", private: false }),
    secret: async () => ({ kmsKey: undefined }),
    modelEndpoint: async (name) => ({
      arn: `arn:aws:sagemaker:eu-west-1:123456789012:endpoint/${name.toLowerCase()}`,
      status: "InService",
      variant: "AllTraffic",
    }),
    endpointsNamed: async () => [],
    parameter: async () => undefined,
    filterQuota: async () => undefined,
    inventory: async () => ({
      dataset_group: null,
      datasets: [],
      event_tracker: null,
      filters: [],
      solutions: [],
      campaigns: [],
    }),
    ...reads,
  };
}

/** Returns the result of a read, changed. */
export async function changedRead<Name extends "domain" | "vpc" | "certificate">(
  name: Name,
  change: Partial<NonNullable<Awaited<ReturnType<DiscoveryClients[Name]>>>>,
): Promise<NonNullable<Awaited<ReturnType<DiscoveryClients[Name]>>>> {
  const read: (id: string) => Promise<unknown> = account()[name];
  return { ...((await read("")) as NonNullable<Awaited<ReturnType<DiscoveryClients[Name]>>>), ...change };
}

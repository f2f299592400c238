import type { EC2Client, VpcEndpoint } from "@aws-sdk/client-ec2";
import { ignoreNotFound } from "../../../lib/platform/aws/errors.ts";
import { isFunctionsGroup } from "../../../lib/platform/naming/names.ts";
import { PROJECT_TAG } from "../../../lib/platform/naming/tags.ts";
import { once } from "../../../lib/platform/resilience/once.ts";
import type { DiscoveryClients, FoundEndpointService, FoundVpc } from "../clients.ts";
import { type SdkConfig, tagsOf } from "./config.ts";

type Reads = Pick<
  DiscoveryClients,
  "vpc" | "subnets" | "endpoints" | "gateways" | "routeTables" | "prefixList" | "endpointService" | "projectsInVpc"
>;

/** Reads networks. */
export function ec2Reads(config: SdkConfig): Reads {
  const client = once(async () => {
    const { EC2Client } = await import("@aws-sdk/client-ec2");
    return new EC2Client(config);
  });
  return {
    vpc: async (id) => vpc(await client(), id),
    subnets: async (ids) => subnets(await client(), ids),
    endpoints: async (vpcId) => endpoints(await client(), vpcId),
    gateways: async (vpcId) => gateways(await client(), vpcId),
    routeTables: async (vpcId, ids) => routeTables(await client(), vpcId, ids),
    prefixList: async (name) => prefixList(await client(), name),
    projectsInVpc: async (vpcId) => projectsInVpc(await client(), vpcId),
    endpointService: async (names) => endpointService(await client(), names),
  };
}

async function vpc(client: EC2Client, VpcId: string): Promise<FoundVpc | undefined> {
  const { DescribeVpcAttributeCommand, DescribeVpcsCommand } = await import("@aws-sdk/client-ec2");
  const answer = client.send(new DescribeVpcsCommand({ VpcIds: [VpcId] }));
  const found = (await ignoreNotFound(answer))?.Vpcs?.[0];
  if (!found) return undefined;
  const [support, hostnames] = await Promise.all(
    (["enableDnsSupport", "enableDnsHostnames"] as const).map((Attribute) =>
      client.send(new DescribeVpcAttributeCommand({ VpcId, Attribute })),
    ),
  );
  const blocks = (found.CidrBlockAssociationSet ?? [])
    .filter(({ CidrBlockState }) => CidrBlockState?.State === undefined || CidrBlockState.State === "associated")
    .flatMap(({ CidrBlock }) => CidrBlock ?? []);
  return {
    cidrBlocks: [...new Set([...(found.CidrBlock === undefined ? [] : [found.CidrBlock]), ...blocks])],
    dnsSupport: support?.EnableDnsSupport?.Value ?? false,
    dnsHostnames: hostnames?.EnableDnsHostnames?.Value ?? false,
  };
}

async function subnets(client: EC2Client, ids: readonly string[]) {
  const { DescribeSubnetsCommand } = await import("@aws-sdk/client-ec2");
  // A filter skips missing subnets; a list of ids would fail as a whole.
  const Filters = [{ Name: "subnet-id", Values: [...ids] }];
  const { Subnets = [] } = await client.send(new DescribeSubnetsCommand({ Filters }));
  return Subnets.map(({ SubnetId = "", VpcId = "", AvailabilityZone = "" }) => ({
    id: SubnetId,
    vpcId: VpcId,
    zone: AvailabilityZone,
  }));
}

/** Returns the endpoints of a VPC that are available or pending. */
async function allEndpoints(client: EC2Client, vpcId: string, type: VpcEndpoint["VpcEndpointType"]) {
  const { paginateDescribeVpcEndpoints } = await import("@aws-sdk/client-ec2");
  const Filters = [{ Name: "vpc-id", Values: [vpcId] }];
  const found: VpcEndpoint[] = [];
  for await (const { VpcEndpoints = [] } of paginateDescribeVpcEndpoints({ client }, { Filters })) {
    found.push(
      ...VpcEndpoints.filter(
        ({ VpcEndpointType, State }) =>
          VpcEndpointType === type && ["available", "pending"].includes((State ?? "").toLowerCase()),
      ),
    );
  }
  return found.map(({ VpcEndpointId = "", ServiceName = "", PrivateDnsEnabled = false, RouteTableIds = [], Tags }) => ({
    id: VpcEndpointId,
    serviceName: ServiceName,
    privateNames: PrivateDnsEnabled,
    routeTableIds: RouteTableIds.toSorted(),
    tags: tagsOf(Tags),
  }));
}

async function endpoints(client: EC2Client, vpcId: string) {
  const found = await allEndpoints(client, vpcId, "Interface");
  return found.map(({ routeTableIds: _, ...one }) => one);
}

async function gateways(client: EC2Client, vpcId: string) {
  const found = await allEndpoints(client, vpcId, "Gateway");
  return found.map(({ privateNames: _, ...one }) => one);
}

async function routeTables(client: EC2Client, vpcId: string, subnetIds: readonly string[]): Promise<string[]> {
  const { paginateDescribeRouteTables } = await import("@aws-sdk/client-ec2");
  const Filters = [{ Name: "vpc-id", Values: [vpcId] }];
  const own = new Map<string, string>();
  let main: string | undefined;
  for await (const { RouteTables = [] } of paginateDescribeRouteTables({ client }, { Filters })) {
    for (const { RouteTableId = "", Associations = [] } of RouteTables) {
      for (const { Main, SubnetId } of Associations) {
        if (Main) main = RouteTableId;
        if (SubnetId !== undefined) own.set(SubnetId, RouteTableId);
      }
    }
  }
  const found = subnetIds.map((id) => own.get(id) ?? main);
  return [...new Set(found.flatMap((id) => id ?? []))].sort();
}

async function prefixList(client: EC2Client, serviceName: string): Promise<string | undefined> {
  const { DescribePrefixListsCommand } = await import("@aws-sdk/client-ec2");
  const Filters = [{ Name: "prefix-list-name", Values: [serviceName] }];
  const { PrefixLists = [] } = await client.send(new DescribePrefixListsCommand({ Filters }));
  return PrefixLists.find(({ PrefixListName }) => PrefixListName === serviceName)?.PrefixListId;
}

async function projectsInVpc(client: EC2Client, vpcId: string): Promise<string[]> {
  const { paginateDescribeSecurityGroups } = await import("@aws-sdk/client-ec2");
  const Filters = [
    { Name: "vpc-id", Values: [vpcId] },
    { Name: "tag-key", Values: [PROJECT_TAG] },
  ];
  const found = new Set<string>();
  for await (const { SecurityGroups = [] } of paginateDescribeSecurityGroups({ client }, { Filters })) {
    for (const { GroupName = "", Tags } of SecurityGroups) {
      // The group of its interface endpoints stays with `--destroy-infra false`, when nothing uses endpoints any more.
      if (isFunctionsGroup(GroupName)) found.add(tagsOf(Tags)[PROJECT_TAG] ?? "");
    }
  }
  return [...found].sort();
}

async function endpointService(client: EC2Client, names: readonly string[]): Promise<FoundEndpointService | undefined> {
  const { DescribeVpcEndpointServicesCommand } = await import("@aws-sdk/client-ec2");
  // A filter skips names that do not exist; a list of names would fail as a whole.
  const Filters = [{ Name: "service-name", Values: [...names] }];
  const { ServiceDetails = [] } = await client.send(new DescribeVpcEndpointServicesCommand({ Filters }));
  const found = ServiceDetails.find(
    ({ ServiceName = "", ServiceType = [] }) =>
      names.includes(ServiceName) && ServiceType.some((type) => type.ServiceType === "Interface"),
  );
  if (!found) return undefined;
  const { ServiceName: name = "", AvailabilityZones: zones = [], PrivateDnsName, PrivateDnsNames = [] } = found;
  const all = [PrivateDnsName, ...PrivateDnsNames.map((one) => one.PrivateDnsName)];
  return { name, zones, privateNames: [...new Set(all.flatMap((one) => one ?? []))] };
}

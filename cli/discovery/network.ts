import {
  ENDPOINT_SERVICES,
  type EndpointService,
  endpointServiceName,
  GATEWAY_SERVICES,
  type GatewayService,
  type NetworkDiscovery,
} from "../../lib/infrastructure/discovery.ts";
import { mayCallGatewayServices, ownEndpoints, servicesInUse } from "../../lib/infrastructure/endpoints.ts";
import { failureKind } from "../../lib/platform/aws/errors.ts";
import { PROJECT_TAG } from "../../lib/platform/naming/tags.ts";
import type { Configuration, SearchGateway } from "../../lib/settings/configuration.ts";
import type { DiscoveryClients, FoundDomain, FoundEndpoint, FoundEndpointService } from "./clients.ts";
import { explained } from "./explain.ts";

type Subnet = NetworkDiscovery["functionSubnets"][number];

/** Reads the VPC of the domain, its subnets and endpoints; undefined if the VPC does not exist. */
export async function discoverNetwork(
  config: Configuration,
  searchGateway: SearchGateway,
  domain: FoundDomain,
  clients: DiscoveryClients,
  problems: string[],
): Promise<{ network: NetworkDiscovery; domainSubnets: Subnet[] } | undefined> {
  const { vpc, opensearch } = searchGateway;
  const functionIds = vpc.subnet_ids ?? domain.subnetIds;
  const region = config.project.aws.region_name;
  const [found, subnets, endpoints, projects] = await Promise.all([
    explained("ec2:DescribeVpcs", clients.vpc(vpc.vpc_id)),
    explained("ec2:DescribeSubnets", clients.subnets([...new Set([...functionIds, ...domain.subnetIds])])),
    explained("ec2:DescribeVpcEndpoints", clients.endpoints(vpc.vpc_id)),
    explained("ec2:DescribeSecurityGroups", clients.projectsInVpc(vpc.vpc_id)),
  ]);
  if (!found) {
    problems.push(`there is no VPC ${vpc.vpc_id} in ${region}: check vpc.vpc_id and aws.region_name`);
    return undefined;
  }
  const serving = servingEndpoints(endpoints, config.project.project_name);
  const others = projects.filter((one) => one !== config.project.project_name);
  const owned = serving.filter((one) => one.owned).map(({ service }) => service);
  const services = [...new Set([...servicesInUse(config), ...(others.length > 0 ? owned : [])])];
  const offered = await endpointServices(services, region, clients);
  checkSubnets(functionIds, subnets, vpc.vpc_id, problems);
  const named = (ids: readonly string[]) =>
    subnets.filter(({ id }) => ids.includes(id)).map(({ id, zone }) => ({ id, zone }));
  const unusual = Object.fromEntries(
    services.flatMap((service) => {
      const one = offered[service];
      return one && one.name !== endpointServiceName(region, service) ? [[service, one]] : [];
    }),
  );
  const network: NetworkDiscovery = {
    vpcId: vpc.vpc_id,
    cidrBlocks: found.cidrBlocks.toSorted(),
    functionSubnets: sorted(named(functionIds)),
    endpoints: serving,
    ...(others.length > 0 && { otherProjects: others }),
    ...(mayCallGatewayServices(searchGateway) && (await discoverGateways(config, vpc.vpc_id, functionIds, clients))),
    endpointZones: mapped(offered, ({ zones }) => zones.toSorted()),
    ...(Object.keys(unusual).length > 0 && { endpointServiceNames: mapped(unusual, ({ name }) => name) }),
  };
  const own = ownEndpoints(config, network);
  if (own.length > 0 && !(found.dnsSupport && found.dnsHostnames)) {
    problems.push(
      `${vpc.vpc_id} has DNS ${found.dnsSupport ? "hostnames" : "support"} off, but private names of interface endpoints need ` +
        "it: turn on DNS support and DNS hostnames, or set vpc.create_endpoints to false",
    );
  }
  const made = own.filter(({ service }) => !network.endpoints.some((one) => one.service === service));
  const zones = made.length > 0 ? await clients.zonesOfVpc(vpc.vpc_id).catch(noneIfDenied) : [];
  for (const { service } of made) {
    const zone = offered[service]?.privateNames.find((name) => zones.includes(name));
    if (zone === undefined) continue;
    problems.push(
      `${vpc.vpc_id} is associated with the private hosted zone ${zone}, so AWS refuses an interface endpoint of ${service} ` +
        "with private names there: set vpc.create_endpoints to false; the functions then call what the zone leads to",
    );
  }
  for (const { service, subnetIds } of own) {
    if (subnetIds.length > 0) continue;
    const where = offered[service] ? `only in ${network.endpointZones[service]?.join(", ")}` : `not in ${region}`;
    problems.push(
      `interface endpoints of ${service} are ${where}, where no subnet of the functions is: set vpc.subnet_ids, ` +
        "or set vpc.create_endpoints to false and give the functions a NAT gateway",
    );
  }
  if (domain.securityGroupIds.length === 0) {
    problems.push(`domain ${opensearch.domain_name} has no security group to open for the functions: add one`);
  }
  return { network, domainSubnets: sorted(named(domain.subnetIds)) };
}

/** Reads what functions need that call S3 and DynamoDB from the VPC. */
async function discoverGateways(
  { project }: Configuration,
  vpcId: string,
  subnetIds: readonly string[],
  clients: DiscoveryClients,
): Promise<Pick<NetworkDiscovery, "gatewayEndpoints" | "routeTables" | "prefixLists">> {
  const nameOf = (service: GatewayService) => endpointServiceName(project.aws.region_name, service);
  const [found, routeTables, lists] = await Promise.all([
    explained("ec2:DescribeVpcEndpoints", clients.gateways(vpcId)),
    explained("ec2:DescribeRouteTables", clients.routeTables(vpcId, subnetIds)),
    Promise.all(
      GATEWAY_SERVICES.map(async (service) => {
        const id = await explained("ec2:DescribePrefixLists", clients.prefixList(nameOf(service)));
        return [service, id] as const;
      }),
    ),
  ]);
  const gatewayEndpoints = found.flatMap(({ id, serviceName, routeTableIds, tags }) => {
    const service = GATEWAY_SERVICES.find((name) => serviceName === nameOf(name));
    return service ? [{ service, id, owned: tags[PROJECT_TAG] === project.project_name, routeTableIds }] : [];
  });
  const prefixLists = Object.fromEntries(lists.flatMap(([service, id]) => (id === undefined ? [] : [[service, id]])));
  return { gatewayEndpoints: gatewayEndpoints.sort((a, b) => (a.id < b.id ? -1 : 1)), routeTables, prefixLists };
}

/** Without the permission to list zones, AWS itself refuses the endpoint. */
function noneIfDenied(error: unknown): string[] {
  if (failureKind(error) !== "denied") throw error;
  return [];
}

function checkSubnets(
  wanted: readonly string[],
  found: ReadonlyArray<{ id: string; vpcId: string }>,
  vpcId: string,
  problems: string[],
): void {
  for (const id of wanted) {
    const subnet = found.find((one) => one.id === id);
    if (!subnet) problems.push(`there is no subnet ${id}: check vpc.subnet_ids`);
    else if (subnet.vpcId !== vpcId) {
      problems.push(`subnet ${id} is in ${subnet.vpcId}, but vpc.vpc_id is ${vpcId}: use subnets of ${vpcId}`);
    }
  }
}

/** Returns the endpoints with private names. Without them the service's usual host name leads out of the VPC. */
function servingEndpoints(found: readonly FoundEndpoint[], project: string): NetworkDiscovery["endpoints"] {
  return found
    .filter(({ privateNames }) => privateNames)
    .flatMap(({ id, serviceName, tags }) => {
      const service = ENDPOINT_SERVICES.find((name) => serviceName.endsWith(`.${name}`));
      return service ? [{ service, id, owned: tags[PROJECT_TAG] === project }] : [];
    })
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Returns the services of interface endpoints that the region has. In China the names of some start with "cn.". */
async function endpointServices(
  services: readonly EndpointService[],
  region: string,
  clients: DiscoveryClients,
): Promise<Readonly<Record<string, FoundEndpointService>>> {
  const found = await Promise.all(
    services.map(async (service) => {
      const usual = endpointServiceName(region, service);
      const names = region.startsWith("cn-") ? [usual, `cn.${usual}`] : [usual];
      return [service, await explained("ec2:DescribeVpcEndpointServices", clients.endpointService(names))] as const;
    }),
  );
  return Object.fromEntries(found.flatMap(([service, one]) => (one ? [[service, one]] : [])));
}

function mapped<Value, Mapped>(record: Readonly<Record<string, Value>>, map: (value: Value) => Mapped) {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

function sorted(subnets: Subnet[]): Subnet[] {
  return subnets.sort((a, b) => (a.id < b.id ? -1 : 1));
}

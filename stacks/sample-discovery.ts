import { DISCOVERY_FORMAT, type Discovery, ENDPOINT_SERVICES } from "../lib/infrastructure/discovery.ts";
import { mayCallGatewayServices } from "../lib/infrastructure/endpoints.ts";
import { namesOf } from "../lib/platform/naming/names.ts";
import type { Configuration } from "../lib/settings/configuration.ts";

const SAMPLE_ACCOUNT = "123456789012";

/**
 * Returns the discovery of an account that contains exactly what a configuration names: a domain in two zones, no
 * interface endpoint, no log role of API Gateway. For inspecting stacks without an account.
 */
export function sampleDiscovery({ project, api, searchGateway, recommendation }: Configuration): Discovery {
  const account = project.aws.account_id ?? SAMPLE_ACCOUNT;
  const region = project.aws.region_name;
  const names = namesOf({ project: project.project_name, account, region });
  const zones = [`${region}a`, `${region}b`];
  const subnets = zones.map((zone, index) => ({ id: `subnet-0000000000000000${index + 1}`, zone }));
  return {
    format: DISCOVERY_FORMAT,
    account,
    region,
    apiGateway: {
      role: { name: api.cloud_watch_role_name ?? names.role("api-gateway-logs"), exists: false, owned: false },
    },
    apiKeys: { "search-gateway": [1], recommendation: [1] },
    ...(recommendation && { personalize: { repairs: {} } }),
    ...(searchGateway && {
      searchGateway: {
        domain: {
          name: searchGateway.opensearch.domain_name,
          arn: names.arn("es", `domain/${searchGateway.opensearch.domain_name}`),
          endpoint: searchGateway.opensearch.domain.replace(/^https?:\/\//, ""),
          engineVersion: "2.19",
          vpcId: searchGateway.vpc.vpc_id,
          subnets,
          securityGroupIds: ["sg-00000000000000001"],
          instanceCount: 2,
          zones: 2,
          fineGrainedAccess: searchGateway.opensearch.auth !== undefined,
        },
        network: {
          vpcId: searchGateway.vpc.vpc_id,
          cidrBlocks: ["10.20.0.0/16"],
          functionSubnets:
            searchGateway.vpc.subnet_ids?.map((id, index) => ({ id, zone: zones[index % 2] ?? "" })) ?? subnets,
          endpoints: [],
          ...(mayCallGatewayServices(searchGateway) && {
            gatewayEndpoints: [],
            routeTables: ["rtb-00000000000000001"],
            prefixLists: { s3: "pl-00000001", dynamodb: "pl-00000002" },
          }),
          endpointZones: Object.fromEntries(ENDPOINT_SERVICES.map((service) => [service, zones])),
        },
        ...(searchGateway.domainNameSystem?.create_dns_record && {
          hostedZoneId: searchGateway.domainNameSystem.hosted_zone_id ?? "Z0000000000000000000",
        }),
      },
    }),
  };
}

import type { Configuration, SearchGateway } from "../config/configuration.ts";
import { MODELS, type ModelName } from "../config/embedding-models.ts";
import type { EndpointService, NetworkDiscovery } from "./discovery.ts";

/** The models that mappings name, in the order of our own list. */
export function referencedModels({ hybridQueries }: Pick<SearchGateway, "hybridQueries">): ModelName[] {
  const used = new Set(hybridQueries.flatMap((entry) => entry.embedding_mappings.map(({ model_name }) => model_name)));
  return (Object.keys(MODELS) as ModelName[]).filter((name) => used.has(name));
}

/**
 * Services that the functions in the network call. S3 and DynamoDB, which have gateway endpoints, are not among them:
 * the functions that use those run outside of the network.
 */
export function servicesInUse({ api, searchGateway }: Pick<Configuration, "api" | "searchGateway">): EndpointService[] {
  if (!searchGateway) return [];
  const hosts = new Set(referencedModels(searchGateway).map((name) => MODELS[name].host));
  const secrets = searchGateway.opensearch.auth?.type === "basic" || api.logging.user_id === "hmac";
  return [
    ...(hosts.has("sagemaker") ? ["sagemaker.runtime" as const] : []),
    ...(hosts.has("bedrock") ? ["bedrock-runtime" as const] : []),
    ...(secrets ? ["secretsmanager" as const] : []),
    ...(api.personalized_ranking.campaign_arn === undefined ? [] : ["personalize-runtime" as const]),
  ];
}

/** An interface endpoint that Terraform of this project has or makes. */
export interface OwnEndpoint {
  service: EndpointService;
  /** One in each zone that the service has. */
  subnetIds: string[];
}

/**
 * The interface endpoints of this project: for services in use that nothing else in the VPC serves. None when
 * `vpc.create_endpoints` is off. They cost by the hour and zone.
 */
export function ownEndpoints(
  configuration: Pick<Configuration, "api" | "searchGateway">,
  network: NetworkDiscovery,
): OwnEndpoint[] {
  if (!configuration.searchGateway?.vpc.create_endpoints) return [];
  return servicesInUse(configuration)
    .filter((service) => !network.endpoints.some((endpoint) => endpoint.service === service && !endpoint.owned))
    .map((service) => ({ service, subnetIds: subnetsFor(service, network) }));
}

/** Whether every service in use is reached without leaving the VPC. */
export function staysInVpc(
  configuration: Pick<Configuration, "api" | "searchGateway">,
  network: NetworkDiscovery,
): boolean {
  if (configuration.searchGateway?.vpc.create_endpoints) return true;
  const served = new Set(network.endpoints.filter(({ owned }) => !owned).map(({ service }) => service));
  return servicesInUse(configuration).every((service) => served.has(service));
}

/** An endpoint takes one subnet a zone, in zones that the service has. */
function subnetsFor(service: EndpointService, { functionSubnets, endpointZones }: NetworkDiscovery): string[] {
  const zones = endpointZones[service] ?? [];
  const byZone = new Map(functionSubnets.toReversed().map(({ id, zone }) => [zone, id]));
  return [...byZone]
    .filter(([zone]) => zones.includes(zone))
    .map(([, id]) => id)
    .sort();
}

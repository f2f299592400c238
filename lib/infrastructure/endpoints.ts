import type { Configuration, SearchGateway } from "../config/configuration.ts";
import { isEndpointModel, MODEL_NAMES, MODELS, type ModelName } from "../config/embedding-models.ts";
import { endpointsOf, type ModelEndpoint } from "../config/model-sources.ts";
import type { Names } from "../core/naming/names.ts";
import type { EndpointService, NetworkDiscovery } from "./discovery.ts";

/** Returns the models that mappings use, in the order of `MODELS`. */
export function referencedModels({ hybridQueries }: Pick<SearchGateway, "hybridQueries">): ModelName[] {
  const used = new Set(hybridQueries.flatMap((entry) => entry.embedding_mappings.map(({ model_name }) => model_name)));
  return MODEL_NAMES.filter((name) => used.has(name));
}

/** Returns the models of `previous` in model.yaml, which made the vectors of indexes that are not rebuilt yet. */
export function previousModels({ models }: Pick<SearchGateway, "models">): ModelName[] {
  return MODEL_NAMES.filter((name) => Object.hasOwn(models.previous ?? {}, name));
}

/** Returns the endpoints of SageMaker that the gateway calls. */
export function modelEndpoints(gateway: Pick<SearchGateway, "hybridQueries" | "models">): ModelEndpoint[] {
  const { models } = gateway;
  return [
    ...referencedModels(gateway)
      .filter(isEndpointModel)
      .flatMap((name) => endpointsOf(name, models)),
    ...previousModels(gateway)
      .filter(isEndpointModel)
      .flatMap((name) => endpointsOf(name, models.previous ?? {}, ["previous"])),
  ];
}

/**
 * Returns the services that the functions in the VPC call. These exclude S3 and DynamoDB, which have gateway endpoints:
 * the functions that use them run outside of the VPC.
 */
export function servicesInUse({ api, searchGateway }: Pick<Configuration, "api" | "searchGateway">): EndpointService[] {
  if (!searchGateway) return [];
  const models = [...referencedModels(searchGateway), ...previousModels(searchGateway)];
  const hosts = new Set(models.map((name) => MODELS[name].host));
  const secrets = searchGateway.opensearch.auth?.type === "basic" || api.logging.user_id === "hmac";
  return [
    ...(hosts.has("sagemaker") ? ["sagemaker.runtime" as const] : []),
    ...(hosts.has("bedrock") ? ["bedrock-runtime" as const] : []),
    ...(secrets ? ["secretsmanager" as const] : []),
    ...(api.personalized_ranking.campaign_arn === undefined ? [] : ["personalize-runtime" as const]),
  ];
}

/** An interface endpoint that this project's Terraform manages. */
export interface OwnEndpoint {
  service: EndpointService;
  /** One subnet in each zone in which the service is available. */
  subnetIds: string[];
}

/**
 * Returns the interface endpoints of this project: for services in use that have no other endpoint in the VPC, and those
 * that it made before while another project is in the VPC, which has none of its own. Returns none if `vpc.create_endpoints` is off. AWS bills endpoints by the hour and zone.
 */
export function ownEndpoints(
  configuration: Pick<Configuration, "api" | "searchGateway">,
  network: NetworkDiscovery,
): OwnEndpoint[] {
  if (!configuration.searchGateway?.vpc.create_endpoints) return [];
  const owned = network.endpoints.filter((endpoint) => endpoint.owned).map(({ service }) => service);
  const kept = network.otherProjects ? owned : [];
  return [...new Set([...servicesInUse(configuration), ...kept])]
    .filter((service) => !network.endpoints.some((endpoint) => endpoint.service === service && !endpoint.owned))
    .map((service) => ({ service, subnetIds: subnetsFor(service, network) }));
}

/** Returns whether every service in use can be reached without leaving the VPC. */
export function staysInVpc(
  configuration: Pick<Configuration, "api" | "searchGateway">,
  network: NetworkDiscovery,
): boolean {
  if (configuration.searchGateway?.vpc.create_endpoints) return true;
  const served = new Set(network.endpoints.filter(({ owned }) => !owned).map(({ service }) => service));
  return servicesInUse(configuration).every((service) => served.has(service));
}

/** Returns one subnet per zone, in zones in which the service is available. AWS accepts no others for an endpoint. */
function subnetsFor(service: EndpointService, { functionSubnets, endpointZones }: NetworkDiscovery): string[] {
  const zones = endpointZones[service] ?? [];
  const byZone = new Map(functionSubnets.toReversed().map(({ id, zone }) => [zone, id]));
  return [...byZone]
    .filter(([zone]) => zones.includes(zone))
    .map(([, id]) => id)
    .sort();
}

/** The part of an inference profile's id before that of its model: the regions that it may send a call to. */
const PROFILE = /^(us|us-gov|eu|apac|jp|au|global)\./;

/** Returns what a caller of a model on Bedrock invokes: the model in its region, or a profile and its model in all of its. */
export function hostedModelArns(id: string, names: Pick<Names, "arn" | "partition">, region: string): string[] {
  const model = (region: string) =>
    `arn:${names.partition()}:bedrock:${region}::foundation-model/${id.replace(PROFILE, "")}`;
  return PROFILE.test(id) ? [names.arn("bedrock", `inference-profile/${id}`), model("*")] : [model(region)];
}

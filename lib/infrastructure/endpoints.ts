import type { Names } from "../platform/naming/names.ts";
import type { Configuration, SearchGateway } from "../settings/configuration.ts";
import { isEndpointModel, MODEL_NAMES, MODELS, type ModelName } from "../settings/embedding-models.ts";
import { endpointsOf, type ModelEndpoint } from "../settings/model-sources.ts";
import { PROFILE } from "../settings/names.ts";
import { RERANKER, rerankersOf } from "../settings/rerank-models.ts";
import { type EndpointService, GATEWAY_SERVICES, type GatewayService, type NetworkDiscovery } from "./discovery.ts";

/** Returns the models that mappings use, in the order of `MODELS`. */
export function referencedModels({ hybridQueries }: Pick<SearchGateway, "hybridQueries">): ModelName[] {
  const used = new Set(hybridQueries.flatMap((entry) => entry.embedding_mappings.map(({ model_name }) => model_name)));
  return MODEL_NAMES.filter((name) => used.has(name));
}

/** Returns the models of `previous` in model.yaml, which made the vectors of indexes that are not rebuilt yet. */
export function previousModels({ models }: Pick<SearchGateway, "models">): ModelName[] {
  return MODEL_NAMES.filter((name) => Object.hasOwn(models.previous ?? {}, name));
}

/** Returns the rerankers that entries use: ids of Bedrock, and `reranker` for the section of model.yaml. */
export const rerankModels = ({ hybridQueries }: Pick<SearchGateway, "hybridQueries">): string[] =>
  rerankersOf(hybridQueries);

/** Returns the rerankers on Bedrock that entries use. */
export const hostedRerankers = (gateway: Pick<SearchGateway, "hybridQueries">): string[] =>
  rerankModels(gateway).filter((model) => model !== RERANKER);

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
    ...(rerankModels(gateway).includes(RERANKER) ? endpointsOf(RERANKER, models) : []),
  ];
}

type Services = Pick<Configuration, "api" | "searchGateway" | "recommendation">;

/** Returns the services that the functions in the VPC call, without S3 and DynamoDB, which have gateway endpoints. */
export function servicesInUse(configuration: Services): EndpointService[] {
  const { searchGateway } = configuration;
  if (!searchGateway) return [];
  const added = searchGateway.vpc.functions === "all" ? otherServices(configuration) : [];
  return [...new Set([...routerServices(configuration, searchGateway), ...added])];
}

/** Returns the services with gateway endpoints that the functions in the VPC call. */
export function gatewayServicesInUse({ recommendation, searchGateway }: Services): GatewayService[] {
  if (recommendation && searchGateway?.vpc.functions === "all") return [...GATEWAY_SERVICES];
  return searchGateway && callsS3(searchGateway) ? ["s3"] : [];
}

/** Returns whether api-router reads documents of the project's bucket: rules or synonyms. */
export const readsDocuments = ({ hybridQueries, rules }: Pick<SearchGateway, "hybridQueries" | "rules">): boolean =>
  rules !== undefined || hybridQueries.some(({ synonyms }) => synonyms);

/** Returns whether any index has suggestions, which a function of their own builds. */
export const hasSuggestions = ({ hybridQueries }: Pick<SearchGateway, "hybridQueries">): boolean =>
  hybridQueries.some(({ suggest }) => suggest);

/** Returns whether suggestions come from the request log. */
export const readsRequestLog = ({ hybridQueries }: Pick<SearchGateway, "hybridQueries">): boolean =>
  hybridQueries.some(({ suggest }) => suggest?.searches);

/** Returns whether functions beside the cluster call S3. */
export const callsS3 = (gateway: Pick<SearchGateway, "hybridQueries" | "rules">): boolean =>
  readsDocuments(gateway) || readsRequestLog(gateway);

/** Returns whether functions in the VPC may call services with gateway endpoints, so that routes and endpoints matter. */
export const mayCallGatewayServices = (gateway: Pick<SearchGateway, "vpc" | "hybridQueries" | "rules">): boolean =>
  gateway.vpc.functions === "all" || callsS3(gateway);

/** Returns the services of all functions but api-router: those of their policies. Queues invoke functions by themselves. */
function otherServices({ searchGateway, recommendation }: Services): EndpointService[] {
  return [
    // log-handler and search-events, which also reads the key of user ids: that of api-router.
    "kinesis-firehose",
    ...(searchGateway?.opensearch.auto_scaling ? (["monitoring", "es"] as const) : []),
    ...(recommendation
      ? (["personalize", "personalize-events", "personalize-runtime", "sqs", "ssm", "states"] as const)
      : []),
  ];
}

function routerServices({ api }: Services, searchGateway: SearchGateway): EndpointService[] {
  const models = [...referencedModels(searchGateway), ...previousModels(searchGateway)];
  const hosts = new Set([
    ...models.map((name) => MODELS[name].host),
    ...rerankModels(searchGateway).map((model) => (model === RERANKER ? "sagemaker" : "bedrock")),
  ]);
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
export function ownEndpoints(configuration: Services, network: NetworkDiscovery): OwnEndpoint[] {
  if (!configuration.searchGateway?.vpc.create_endpoints) return [];
  const owned = network.endpoints.filter((endpoint) => endpoint.owned).map(({ service }) => service);
  const kept = network.otherProjects ? owned : [];
  return [...new Set([...servicesInUse(configuration), ...kept])]
    .filter((service) => !network.endpoints.some((endpoint) => endpoint.service === service && !endpoint.owned))
    .map((service) => ({ service, subnetIds: subnetsFor(service, network) }));
}

/** Returns whether every service in use can be reached without leaving the VPC. */
export function staysInVpc(configuration: Services, network: NetworkDiscovery): boolean {
  if (configuration.searchGateway?.vpc.create_endpoints) return true;
  const served = new Set(network.endpoints.filter(({ owned }) => !owned).map(({ service }) => service));
  const routed = gatewayServicesInUse(configuration).every((service) => unrouted(service, network).length === 0);
  return routed && servicesInUse(configuration).every((service) => served.has(service));
}

/** A gateway endpoint that this project's Terraform manages. */
interface OwnGateway {
  service: GatewayService;
  routeTableIds: string[];
}

/**
 * Returns the gateway endpoints of this project: for the route tables of the functions that lead to none of somebody else.
 * Keeps those that it made before while another project is in the VPC.
 */
export function ownGateways(configuration: Services, network: NetworkDiscovery): OwnGateway[] {
  if (!configuration.searchGateway?.vpc.create_endpoints) return [];
  const needed = gatewayServicesInUse(configuration).map((service) => ({
    service,
    routeTableIds: unrouted(service, network),
  }));
  const kept = network.otherProjects ? (network.gatewayEndpoints ?? []).filter(({ owned }) => owned) : [];
  const all = [...needed, ...kept.filter((one) => !needed.some(({ service }) => service === one.service))];
  return all
    .filter(({ routeTableIds }) => routeTableIds.length > 0)
    .map(({ service, routeTableIds }) => ({ service, routeTableIds }));
}

/** Returns the route tables of the functions that lead to no gateway endpoint of somebody else. */
function unrouted(service: GatewayService, { routeTables = [], gatewayEndpoints = [] }: NetworkDiscovery): string[] {
  const foreign = gatewayEndpoints.filter((one) => one.service === service && !one.owned);
  return routeTables.filter((table) => !foreign.some(({ routeTableIds }) => routeTableIds.includes(table)));
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

/** Returns the id of the foundation model behind an inference profile, or the id itself. */
export const baseModelId = (id: string): string => id.replace(PROFILE, "");

/** Returns what a caller of a model on Bedrock invokes: the model in its region, or a profile and its model in all of its. */
export function hostedModelArns(id: string, names: Pick<Names, "arn" | "partition">, region: string): string[] {
  const model = (region: string) => `arn:${names.partition()}:bedrock:${region}::foundation-model/${baseModelId(id)}`;
  return PROFILE.test(id) ? [names.arn("bedrock", `inference-profile/${id}`), model("*")] : [model(region)];
}

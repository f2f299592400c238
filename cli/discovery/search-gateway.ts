import type { DomainDiscovery, SearchGatewayDiscovery } from "../../lib/infrastructure/discovery.ts";
import { modelEndpoints } from "../../lib/infrastructure/endpoints.ts";
import type { Names } from "../../lib/platform/naming/names.ts";
import type { DomainNameSystem } from "../../lib/settings/api.ts";
import { clusterUrl } from "../../lib/settings/cluster-address.ts";
import type { Configuration, SearchGateway } from "../../lib/settings/configuration.ts";
import { modelImage } from "../../lib/settings/model-image.ts";
import { isDeployed } from "../../lib/settings/model-sources.ts";
import type { DiscoveryClients, FoundCertificate, FoundDomain, FoundZone } from "./clients.ts";
import { explained } from "./explain.ts";
import { discoverNetwork } from "./network.ts";

/** The oldest supported engine, and the oldest with hybrid queries. Source: OpenSearch, hybrid query. */
const OLDEST = "2.11";
const OLDEST_HYBRID = "2.12";

/** Reads what the search gateway's stacks need; undefined if it is not enabled, or if domain or VPC do not fit. */
export async function discoverSearchGateway(
  config: Configuration,
  clients: DiscoveryClients,
  { names, problems }: { names: Names; problems: string[] },
): Promise<SearchGatewayDiscovery | undefined> {
  const { searchGateway: gateway } = config;
  if (!gateway) return undefined;
  checkImages(config, gateway, problems);
  const dns = gateway.domainNameSystem;
  const problemsOf = {
    zone: [] as string[],
    secret: [] as string[],
    endpoints: [] as string[],
    certificate: [] as string[],
  };
  const [found, hostedZoneId, secretKeyArn, modelEndpoints, runningInstances] = await Promise.all([
    explained("es:DescribeDomain", clients.domain(gateway.opensearch.domain_name)),
    dns ? discoverZone(dns, clients, problemsOf.zone) : undefined,
    discoverSecret(config, gateway, clients, problemsOf.secret),
    discoverEndpoints(gateway, clients, problemsOf.endpoints),
    discoverInstances(gateway, names, clients),
    dns ? checkCertificate(config, dns, clients, problemsOf.certificate) : undefined,
  ]);
  problems.push(...Object.values(problemsOf).flat());
  if (!found) {
    problems.push(
      `there is no domain ${gateway.opensearch.domain_name} in ${config.project.aws.region_name}: ` +
        "check opensearch.domain_name, aws.region_name and the account of the credentials",
    );
    return undefined;
  }
  checkDomain(gateway, found, problems);
  if (found.vpcId === undefined || found.vpcId !== gateway.vpc.vpc_id) return undefined;
  const network = await discoverNetwork(config, gateway, found, clients, problems);
  if (!network) return undefined;
  return {
    domain: {
      ...domainDiscovery(gateway, found, found.vpcId),
      subnets: network.domainSubnets,
    },
    network: network.network,
    ...(hostedZoneId !== undefined && { hostedZoneId }),
    ...(secretKeyArn !== undefined && { secretKeyArn }),
    ...(Object.keys(modelEndpoints).length > 0 && { modelEndpoints }),
    ...(Object.keys(runningInstances).length > 0 && { runningInstances }),
  };
}

function domainDiscovery(
  { opensearch }: SearchGateway,
  found: FoundDomain,
  vpcId: string,
): Omit<DomainDiscovery, "subnets"> {
  return {
    name: opensearch.domain_name,
    arn: found.arn,
    endpoint: found.endpoints[0] ?? "",
    engineVersion: found.engineVersion.replace(/^OpenSearch_/, ""),
    vpcId,
    securityGroupIds: found.securityGroupIds,
    instanceCount: found.instanceCount,
    zones: found.zones,
    fineGrainedAccess: found.fineGrainedAccess,
  };
}

function checkDomain({ vpc, opensearch, hybridQueries }: SearchGateway, found: FoundDomain, problems: string[]): void {
  const named = `domain ${opensearch.domain_name}`;
  if (found.vpcId === undefined) {
    problems.push(`${named} has a public endpoint: the gateway needs a domain inside vpc.vpc_id (${vpc.vpc_id})`);
  } else if (found.vpcId !== vpc.vpc_id) {
    problems.push(`${named} is in ${found.vpcId}, but vpc.vpc_id is ${vpc.vpc_id}: set vpc.vpc_id to ${found.vpcId}`);
  }
  checkEngine(named, found.engineVersion, hybridQueries.length > 0, problems);

  const { hostname } = new URL(clusterUrl(opensearch.domain));
  // A cluster on loopback belongs to the local stack, where the domain is a stand-in with another name.
  const loopback = ["127.0.0.1", "localhost", "[::1]"].includes(hostname);
  if (!loopback && !found.endpoints.includes(hostname)) {
    const is =
      found.endpoints.length > 0 ? `is ${found.endpoints.join(" or ")}` : "does not exist yet: wait for the domain";
    problems.push(`opensearch.domain is ${hostname}, but the endpoint of ${named} ${is}`);
  }
  if (found.fineGrainedAccess && opensearch.auth === undefined) {
    problems.push(
      `${named} has fine-grained access control and would reject the gateway: add opensearch.auth with type aws or basic`,
    );
  }
  const group = vpc.domain_security_group_id;
  if (group !== undefined && !found.securityGroupIds.includes(group)) {
    const groups = found.securityGroupIds.join(", ");
    problems.push(
      `vpc.domain_security_group_id is ${group}, but the groups of ${named} are ${groups}: use one of them`,
    );
  }
  checkScaling(opensearch.auto_scaling, found.zones, named, problems);
}

function checkEngine(named: string, engine: string, hybrid: boolean, problems: string[]): void {
  const [, major, minor] = /^OpenSearch_(\d+)\.(\d+)/.exec(engine) ?? [];
  const below = (oldest: string) => {
    const [wantedMajor = 0, wantedMinor = 0] = oldest.split(".").map(Number);
    const given = [Number(major ?? 0), Number(minor ?? 0)] as const;
    return given[0] < wantedMajor || (given[0] === wantedMajor && given[1] < wantedMinor);
  };
  const is = engine.replace("_", " ");
  if (below(OLDEST)) {
    problems.push(`${named} runs ${is}, but the gateway needs OpenSearch ${OLDEST} or later: upgrade the domain`);
  } else if (hybrid && below(OLDEST_HYBRID)) {
    problems.push(
      `${named} runs ${is}, but hybrid search needs OpenSearch ${OLDEST_HYBRID} or later: ` +
        "upgrade the domain, or set `hybrid_queries: []` in hybrid_search.yaml",
    );
  }
}

function checkScaling(
  scaling: SearchGateway["opensearch"]["auto_scaling"],
  zones: number,
  named: string,
  problems: string[],
): void {
  if (!scaling || zones === 1) return;
  const { min_instance_count: min, max_instance_count: max } = scaling;
  if (Math.ceil(min / zones) * zones <= max) return;
  problems.push(
    `${named} spans ${zones} zones, so its node count must be a multiple of ${zones}; there is none from ` +
      `opensearch.auto_scaling.min_instance_count (${min}) to max_instance_count (${max}): widen the range`,
  );
}

function checkImages({ project }: Configuration, gateway: SearchGateway, problems: string[]): void {
  const region = project.aws.region_name;
  for (const { model, section } of modelEndpoints(gateway).filter(isDeployed)) {
    if (modelImage(region, section.instance_type)) continue;
    problems.push(
      `model ${model} needs the Text Embeddings Inference image, which AWS does not publish in ${region}: ` +
        "use a hosted model in hybrid_search.yaml, or deploy to another region",
    );
  }
}

/** Checks the endpoints that `endpoint_name` names, and returns them by their names. */
async function discoverEndpoints(
  gateway: SearchGateway,
  clients: DiscoveryClients,
  problems: string[],
): Promise<NonNullable<SearchGatewayDiscovery["modelEndpoints"]>> {
  const endpoints: NonNullable<SearchGatewayDiscovery["modelEndpoints"]> = {};
  for (const { section, path } of modelEndpoints(gateway)) {
    const endpoint = section.endpoint_name;
    if (endpoint === undefined) continue;
    const found = await explained("sagemaker:DescribeEndpoint", clients.modelEndpoint(endpoint));
    const named = `${path.join(".")}.endpoint_name in model.yaml`;
    if (!found) {
      problems.push(`${named}: there is no endpoint ${endpoint} in this account and region`);
    } else if (found.status !== "InService") {
      problems.push(`${named}: the endpoint ${endpoint} is ${found.status}, not InService: wait for it or repair it`);
    } else {
      endpoints[endpoint] = { arn: found.arn, variant: found.variant };
    }
  }
  return endpoints;
}

/** Returns how many instances the project's own scaling endpoints have, whatever instance type they are of. */
async function discoverInstances(
  gateway: SearchGateway,
  names: Names,
  clients: DiscoveryClients,
): Promise<NonNullable<SearchGatewayDiscovery["runningInstances"]>> {
  const scaling = modelEndpoints(gateway)
    .filter(isDeployed)
    .filter(({ section }) => section.max_instance_count !== undefined);
  const found = await Promise.all(
    scaling.map(async ({ key }): Promise<[string, number]> => {
      const start = names.anyEndpoint(key).replace(/\*$/, "");
      const named = await explained("sagemaker:ListEndpoints", clients.endpointsNamed(start));
      // Not those for documents alone, whose names go on with a word.
      const own = named.filter(
        ({ name }) => name.startsWith(start) && /^-?[0-9a-f]{8}$/.test(name.slice(start.length)),
      );
      return [key, Math.max(0, ...own.map(({ instances }) => instances))];
    }),
  );
  return Object.fromEntries(found.filter(([, instances]) => instances > 0));
}

async function checkCertificate(
  { project }: Configuration,
  dns: DomainNameSystem,
  clients: DiscoveryClients,
  problems: string[],
): Promise<void> {
  const region = project.aws.region_name;
  const arnRegion = dns.certificate_arn.split(":")[3];
  const named = "domain_name_system.certificate_arn";
  if (arnRegion !== region) {
    problems.push(
      `${named} is in ${arnRegion}, but the API is in ${region}: request or import the certificate in ${region}`,
    );
    return;
  }
  const found = await explained("acm:DescribeCertificate", clients.certificate(dns.certificate_arn));
  if (!found) {
    problems.push(`${named}: there is no certificate ${dns.certificate_arn} in this account`);
    return;
  }
  const problem = certificateProblem(found, `${dns.sub_domain_name}.${dns.domain_name}`);
  if (problem !== undefined) problems.push(`${named}: ${problem}`);
}

function certificateProblem({ status, names }: FoundCertificate, host: string): string | undefined {
  // `endDateNotes` notes an expired one: it must not stop the deployment of anything else.
  if (status !== "ISSUED" && status !== "EXPIRED") {
    return `the certificate is ${status}, not ISSUED: finish its validation first`;
  }
  if (names.some((name) => covers(name, host))) return undefined;
  return `the certificate is for ${names.join(", ")}, not for ${host}: use one for ${host}`;
}

/** Returns whether a certificate name covers a host; a wildcard stands for one label. */
function covers(name: string, host: string): boolean {
  if (!name.startsWith("*.")) return name.toLowerCase() === host;
  return host.slice(host.indexOf(".")) === name.slice(1).toLowerCase();
}

async function discoverZone(
  dns: DomainNameSystem,
  clients: DiscoveryClients,
  problems: string[],
): Promise<string | undefined> {
  if (!dns.create_dns_record) return undefined;
  const host = `${dns.sub_domain_name}.${dns.domain_name}`;
  const without = "or set domain_name_system.create_dns_record to false and create the record yourself";
  if (dns.hosted_zone_id !== undefined) {
    const zone = await explained("route53:GetHostedZone", clients.zone(dns.hosted_zone_id));
    if (!zone) problems.push(`there is no hosted zone ${dns.hosted_zone_id}: check hosted_zone_id, ${without}`);
    else if (!inZone(host, zone)) {
      problems.push(
        `hosted zone ${zone.id} is for ${zone.name}, which does not contain ${host}: use the right zone, ${without}`,
      );
    }
    return dns.hosted_zone_id;
  }
  const zones = (await explained("route53:ListHostedZonesByName", clients.zonesNamed(dns.domain_name))).filter(
    (zone) => !zone.private,
  );
  if (zones.length === 1) return zones[0]?.id;
  const found =
    zones.length === 0
      ? "no public hosted zone"
      : `several public hosted zones (${zones.map(({ id }) => id).join(", ")})`;
  problems.push(
    `there ${zones.length > 1 ? "are" : "is"} ${found} named ${dns.domain_name}: set domain_name_system.hosted_zone_id, ${without}`,
  );
  return undefined;
}

function inZone(host: string, { name }: FoundZone): boolean {
  return host === name || host.endsWith(`.${name}`);
}

async function discoverSecret(
  { project }: Configuration,
  { opensearch }: SearchGateway,
  clients: DiscoveryClients,
  problems: string[],
): Promise<string | undefined> {
  if (opensearch.auth?.type !== "basic") return undefined;
  const arn = opensearch.auth.master_user_secret_arn;
  const named = "opensearch.auth.master_user_secret_arn";
  const [, , , arnRegion = ""] = arn.split(":");
  if (arnRegion !== project.aws.region_name) {
    problems.push(
      `${named} is in ${arnRegion}, but the functions are in ${project.aws.region_name}: replicate the secret there`,
    );
    return undefined;
  }
  const found = await explained("secretsmanager:DescribeSecret", clients.secret(arn));
  if (!found) problems.push(`${named}: there is no secret ${arn}`);
  return found?.kmsKey;
}

import { DiscoveryError } from "../../lib/infrastructure/discovery.ts";
import { modelEndpoints } from "../../lib/infrastructure/endpoints.ts";
import { failureKind } from "../../lib/platform/aws/errors.ts";
import { DATASETS } from "../../lib/platform/contract/recommendation.ts";
import { DEFAULT_KEY } from "../../lib/platform/http/access.ts";
import type { Names, Service } from "../../lib/platform/naming/names.ts";
import { keysOf } from "../../lib/settings/access.ts";
import type { Configuration } from "../../lib/settings/configuration.ts";
import { isDeployed } from "../../lib/settings/model-sources.ts";
import { RAISE, throttleNotes } from "./throttle-notes.ts";

/** Reads quotas of the account in its region. Throws the SDK's errors. */
export interface QuotaReads {
  /** Functions that may run at the same time. */
  concurrency(): Promise<number>;
  /** Requests a second that API Gateway takes. Undefined if Service Quotas does not list it. */
  requestRate(): Promise<number | undefined>;
  /** Instances of each type that model endpoints may have, by `ProductionVariantInstanceType`. */
  endpointInstances(): Promise<ReadonlyMap<string, number>>;
  /** Existing resources of these kinds, and their quota. */
  usage(kinds: readonly Limited[]): Promise<Partial<Record<Limited, Usage>>>;
}

interface Findings {
  /** Problems that block the deployment. */
  problems: string[];
  /** Risks that may cause a failure after the deployment. */
  notes: string[];
}

/**
 * Concurrency that Lambda keeps for functions without a reservation, also from provisioned instances. Sources: Lambda
 * Developer Guide, "Configuring reserved concurrency", "Configuring provisioned concurrency".
 */
const KEPT_UNRESERVED = 100;

/** With fewer functions at the same time, requests are throttled under ordinary load. A new account has 10. */
const FEW_FUNCTIONS = 100;

/** Inputs for reading quota usage. */
const ACTIONS: readonly [action: string, kinds: readonly Limited[]][] = [
  ["servicequotas:ListServiceQuotas or apigateway:GET", ["apis", "usagePlans", "apiKeys"]],
  ["servicequotas:ListServiceQuotas or personalize:List*", ["datasetGroups", "schemas"]],
];

/**
 * Compares a configuration with the quotas that it needs. Returns notes about those that may become a problem, and about
 * those that the credentials may not read. Throws DiscoveryError for what AWS would refuse.
 */
export async function checkQuotas(config: Configuration, names: Names, reads: QuotaReads): Promise<string[]> {
  const wanted = wantedNames(config, names);
  const checks = [
    readable("lambda:GetAccountSettings", async (findings) => {
      const quota = await reads.concurrency();
      checkConcurrency(config, quota, findings);
      // Who may not read it sees a note about that below.
      const rate = await reads.requestRate().catch((error: unknown) => {
        if (failureKind(error) === "denied") return undefined;
        throw error;
      });
      findings.notes.push(...throttleNotes(config, quota, rate));
    }),
    ...(instancesNeeded(config).size > 0
      ? [
          readable("servicequotas:ListServiceQuotas", async (findings) => {
            checkInstances(config, await reads.endpointInstances(), findings);
          }),
        ]
      : []),
    ...ACTIONS.flatMap(([action, kinds]) => {
      const needed = kinds.filter((kind) => wanted[kind].length > 0 || (kind === "schemas" && config.recommendation));
      if (needed.length === 0) return [];
      return readable(action, async (findings) => {
        const used = await reads.usage(needed);
        const { problems, notes } = checkRoom(wanted, used);
        findings.notes.push(...overlapping(config.project.project_name, used.apis?.names ?? []), ...notes);
        findings.problems.push(...problems);
      });
    }),
  ];
  // In the order of the checks, whichever answer comes first: two plans of one configuration say the same.
  const found = await Promise.all(checks);
  const problems = found.flatMap((one) => one.problems);
  if (problems.length > 0) throw new DiscoveryError(problems);
  return found.flatMap((one) => one.notes);
}

async function readable(action: string, check: (findings: Findings) => Promise<void>): Promise<Findings> {
  const findings: Findings = { problems: [], notes: [] };
  try {
    await check(findings);
  } catch (error) {
    if (failureKind(error) !== "denied") throw error;
    findings.notes.push(
      `The credentials may not call ${action}, so the plan does not check whether the account's quotas suffice`,
    );
  }
  return findings;
}

function checkConcurrency({ api }: Configuration, quota: number, { problems, notes }: Findings): void {
  const { reserved_concurrency: reserved, provisioned_concurrency: provisioned } = api;
  // A function's provisioned instances count towards its own reservation, if it has one.
  const beside = Object.entries(provisioned).map(([fn, one]) => (Object.hasOwn(reserved, fn) ? 0 : one?.min_capacity));
  const asked = sum([...Object.values(reserved), ...beside]);
  if (asked > 0 && asked > quota - KEPT_UNRESERVED) {
    problems.push(
      `reserved_concurrency and provisioned_concurrency in api.yaml ask for ${asked}, but the account may run ${quota} ` +
        `functions at the same time, of which Lambda keeps ${KEPT_UNRESERVED} for other functions: ${RAISE}`,
    );
  } else if (quota < FEW_FUNCTIONS) {
    notes.push(`Only ${quota} functions may run at the same time: further requests get 500 outcome_unknown. ${RAISE}`);
  }
}

function checkInstances(
  config: Configuration,
  quotas: ReadonlyMap<string, number>,
  { problems, notes }: Findings,
): void {
  for (const [type, { first, most }] of instancesNeeded(config)) {
    const quota = quotas.get(type);
    if (quota === undefined) continue;
    const raise = `request more of the quota "${type} for endpoint usage" of SageMaker in Service Quotas`;
    if (quota < first) {
      problems.push(
        `model.yaml asks for ${first} × ${type}, but the account may have ${quota} in endpoints: ${raise}, or choose another instance_type`,
      );
    } else if (quota < 2 * first) {
      notes.push(
        `${type}: an update runs old and new instances for some minutes, ${2 * first} together, but the account may have ${quota}. ${raise}`,
      );
    } else if (quota < most) {
      notes.push(
        `${type}: max_instance_count in model.yaml allows ${most}, but the account may have ${quota}. ${raise}`,
      );
    } else if (quota < 2 * most) {
      notes.push(
        `${type}: an update while scaled out runs up to ${2 * most} instances, but the account may have ${quota}. ${raise}`,
      );
    }
  }
}

/** Returns the instances that endpoints start with, and have at most, by type. */
function instancesNeeded({ searchGateway }: Configuration): Map<string, { first: number; most: number }> {
  const needed = new Map<string, { first: number; most: number }>();
  for (const endpoint of searchGateway ? modelEndpoints(searchGateway).filter(isDeployed) : []) {
    const { instance_type: type, initial_instance_count: first, max_instance_count: most = first } = endpoint.section;
    const { first: before = 0, most: mostBefore = 0 } = needed.get(type) ?? {};
    needed.set(type, { first: before + first, most: mostBefore + most });
  }
  return needed;
}

const sum = (values: readonly (number | undefined)[]) =>
  values.reduce<number>((total, value) => total + (value ?? 0), 0);

/** A quota of the account and region, by its name in Service Quotas, and what counts towards it. */
export interface Usage {
  /** Undefined if Service Quotas does not list it. */
  quota: number | undefined;
  /** The names of what exists. */
  names: readonly string[];
}

/** Kinds of resources whose number is limited for an account and region. */
export type Limited = "apis" | "usagePlans" | "apiKeys" | "datasetGroups" | "schemas";

interface Quota {
  service: "API Gateway" | "Personalize";
  /** Its name in Service Quotas. */
  name: string;
  /** Its name in messages, if it differs. */
  title?: string;
  /** Taken if Service Quotas does not list it. */
  usual: number;
}

/**
 * The quotas that a project can meet. Sources: AWS General Reference, "Amazon API Gateway endpoints and quotas" (names
 * and defaults); Personalize Developer Guide, "Amazon Personalize endpoints and quotas" (defaults, and the names of
 * quotas that AWS raises). "Number of schemas" is the name that public tools read from Service Quotas. Quotas are found
 * by name, because AWS documents the codes of few of them (L-E8693075, "Usage plans"). Of Personalize those tools have
 * L-14011066 (dataset groups) and L-037D5A71 (schemas).
 */
export const QUOTAS: Readonly<Record<Limited, Quota>> = {
  apis: { service: "API Gateway", name: "Regional APIs", usual: 600 },
  usagePlans: { service: "API Gateway", name: "Usage plans", usual: 300 },
  apiKeys: { service: "API Gateway", name: "API keys", usual: 10_000 },
  datasetGroups: {
    service: "Personalize",
    name: "Active dataset groups",
    title: "active dataset groups",
    usual: 5,
  },
  schemas: { service: "Personalize", name: "Number of schemas", title: "schemas", usual: 500 },
};

/**
 * Returns a note if the name of another project in this region goes on after this project's, or the other way round:
 * policies name filters, and what the deployer may change, by `<project>-*`.
 */
function overlapping(project: string, apis: readonly string[]): string[] {
  const others = new Set(apis.flatMap((name) => /^(.+)-(?:search-gateway|recommendation)$/.exec(name)?.[1] ?? []));
  return [...others]
    .filter((other) => other !== project && (other.startsWith(`${project}-`) || project.startsWith(`${other}-`)))
    .map((other) => {
      const [longer, shorter] = other.length > project.length ? [other, project] : [project, other];
      return (
        `Project ${longer} is in this account too. The permissions of ${shorter} that end in ${shorter}-* cover its filters, and for ` +
        "who deploys all its resources: choose project names of which none starts with another and a hyphen"
      );
    })
    .sort();
}

/** Above this share of a quota the plan has a note. */
const NEARLY_ALL = 0.9;

/** Returns the names of what a configuration needs of each kind. */
function wantedNames(config: Configuration, names: Names): Record<Limited, string[]> {
  const services: Service[] = [
    ...(config.searchGateway ? ["search-gateway" as const] : []),
    ...(config.recommendation ? ["recommendation" as const] : []),
  ];
  const keys = services.flatMap((service) =>
    keysOf(config.api, service).map(({ name }) => ({ service, key: name === DEFAULT_KEY ? undefined : name })),
  );
  return {
    apis: services.map((service) => names.api(service)),
    usagePlans: keys.map(({ service, key }) => names.usagePlan(service, key)),
    apiKeys: keys.map(({ service, key }) => names.apiKey(service, 1, key)),
    datasetGroups: config.recommendation ? [names.datasetGroup()] : [],
    schemas: [],
  };
}

/**
 * Compares what is needed with the room that quotas leave. What is there already counts once. A new dataset group needs
 * a schema for each of its datasets, whose names depend on their content.
 */
function checkRoom(
  wanted: Readonly<Record<Limited, readonly string[]>>,
  used: Readonly<Partial<Record<Limited, Usage>>>,
): { problems: string[]; notes: string[] } {
  const problems: string[] = [];
  const notes: string[] = [];
  const fresh = (kind: Limited) => wanted[kind].filter((name) => !used[kind]?.names.includes(name)).length;
  for (const [kind, usage] of Object.entries(used) as [Limited, Usage][]) {
    const { service, name, title = name, usual } = QUOTAS[kind];
    const more = kind === "schemas" ? fresh("datasetGroups") * DATASETS.length : fresh(kind);
    if (more === 0) continue;
    const quota = usage.quota ?? usual;
    const after = usage.names.length + more;
    const has =
      `the account has ${usage.names.length} of ${quota} ${title} of ${service} in this region, and the project needs ` +
      `${more} more`;
    if (after > quota) {
      problems.push(`${has}: request more of this quota in Service Quotas, or remove some that nobody needs`);
    } else if (after > quota * NEARLY_ALL) {
      notes.push(`${has[0]?.toUpperCase()}${has.slice(1)}: few are left`);
    }
  }
  return { problems, notes };
}

import { keysOf } from "../../lib/config/access.ts";
import { DATASETS } from "../../lib/config/avro.ts";
import type { Configuration } from "../../lib/config/configuration.ts";
import { DEFAULT_KEY } from "../../lib/core/http/access.ts";
import type { Names, Service } from "../../lib/core/naming/names.ts";

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
  /** What Service Quotas calls it. */
  name: string;
  /** What messages call it, if that is more. */
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

/** Above this share of a quota the plan has a note. */
const NEARLY_ALL = 0.9;

/** Returns the names of what a configuration needs of each kind. */
export function wantedNames(config: Configuration, names: Names): Record<Limited, string[]> {
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
export function checkRoom(
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

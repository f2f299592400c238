import type { Configuration, Recommendation, SearchGateway } from "../lib/config/configuration.ts";
import type { FunctionName, StackName } from "../lib/core/naming/names.ts";
import type { Discovery, SearchGatewayDiscovery } from "../lib/infrastructure/discovery.ts";

/** A built function: `build/functions.ts` gives both. */
export interface Artifact {
  /** Path of the archive. */
  zip: string;
  /** SHA-256 of the archive in base64. */
  sha256: string;
}

/** The functions that the stacks deploy; those of a service that is not enabled may be absent. */
export type Artifacts = Readonly<Partial<Record<FunctionName, Artifact>>>;

/** All that a stack is made of. Same input, same output. */
export interface StackInput {
  config: Configuration;
  discovery: Discovery;
  artifacts: Artifacts;
  /** Where stacks are written; paths in them are relative to it, so that another checkout plans no change. */
  outdir: string;
  /** Folder of local state. Default: `.terraform-state` in the working folder. */
  stateFolder?: string;
  /**
   * For `uninstall`: resources of Personalize that hold data may be deleted, which has to be applied before they are.
   * Only those that Terraform's state still holds are written, and as they were applied: nothing is created again that an
   * interrupted uninstallation has removed, and nothing is made of a configuration that was changed since.
   */
  uninstall?: { applied: Readonly<Record<string, object>> };
  /** Attempts of the AWS provider at a call; its own default when absent. A local endpoint needs few, to fail soon. */
  maxRetries?: number;
}

/** What the search gateway's stacks work with. */
export interface GatewayInput {
  gateway: SearchGateway;
  found: SearchGatewayDiscovery;
}

/** The enabled search gateway and what was found of it. Throws when either is missing: the caller chose a wrong stack. */
export function gatewayInput({ config, discovery }: StackInput): GatewayInput {
  const { searchGateway: gateway } = config;
  const { searchGateway: found } = discovery;
  if (gateway && found) return { gateway, found };
  throw new Error(`the search gateway is not ${gateway ? "in the discovery" : "enabled"}`);
}

/** The enabled recommendation service. Throws when it is not enabled: the caller chose a wrong stack. */
export function recommendationInput({ config }: StackInput): Recommendation {
  if (config.recommendation) return config.recommendation;
  throw new Error("the recommendation service is not enabled");
}

/** The stacks of a configuration, in the order in which they are deployed; removed in the opposite one. */
export function stackNames({ recommendation, searchGateway }: Configuration): StackName[] {
  return [
    "storage",
    ...(recommendation ? (["personalization", "filters"] as const) : []),
    "foundation",
    ...(recommendation ? (["recommendation"] as const) : []),
    ...(searchGateway ? (["search-gateway"] as const) : []),
  ];
}

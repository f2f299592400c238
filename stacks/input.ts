import type { Discovery, SearchGatewayDiscovery } from "../lib/infrastructure/discovery.ts";
import type { FunctionName, StackName } from "../lib/platform/naming/names.ts";
import type { Configuration, Recommendation, SearchGateway } from "../lib/settings/configuration.ts";

/** A built function, as `build/functions.ts` returns it. */
export interface Artifact {
  /** Path of the archive. */
  zip: string;
  /** SHA-256 of the archive in base64. */
  sha256: string;
}

/** The functions to deploy; those of a disabled service may be missing. */
export type Artifacts = Readonly<Partial<Record<FunctionName, Artifact>>>;

/** Everything that determines a stack. The same input gives the same output. */
export interface StackInput {
  config: Configuration;
  discovery: Discovery;
  artifacts: Artifacts;
  /** Output folder; paths in the stacks are relative to it, so that another checkout plans no change. */
  outdir: string;
  /** Folder for local state. Default: `.terraform-state` in the working directory. */
  stateFolder?: string;
  /**
   * For `uninstall`: removes the deletion protection of Personalize resources with data, which must be applied before
   * they are deleted. Writes only resources that are still in Terraform's state, as they were applied: this creates
   * nothing that an interrupted uninstall removed, and nothing from a configuration that changed since.
   */
  uninstall?: {
    applied: Readonly<Record<string, object>>;
    /** Whether the function is in the VPC now, where it stays. */
    inVpc: boolean;
  };
  /** The AWS provider's retry limit; default: the provider's own. */
  maxRetries?: number;
}

/** Configuration and discovery of the search gateway. */
export interface GatewayInput {
  gateway: SearchGateway;
  found: SearchGatewayDiscovery;
}

/**
 * Returns the search gateway's configuration and discovery. Throws if either is missing: the caller chose a wrong
 * stack.
 */
export function gatewayInput({ config, discovery }: StackInput): GatewayInput {
  const { searchGateway: gateway } = config;
  const { searchGateway: found } = discovery;
  if (gateway && found) return { gateway, found };
  throw new Error(`the search gateway is not ${gateway ? "in the discovery" : "enabled"}`);
}

/** Returns the recommendation service's configuration. Throws if it is not enabled: the caller chose a wrong stack. */
export function recommendationInput({ config }: StackInput): Recommendation {
  if (config.recommendation) return config.recommendation;
  throw new Error("the recommendation service is not enabled");
}

/** Returns the stacks of a configuration in the order of deployment, the reverse of removal. */
export function stackNames({ recommendation, searchGateway }: Configuration): StackName[] {
  // In the VPC, the function that makes what is in Personalize needs the endpoints.
  const endpointsFirst = searchGateway?.vpc.functions === "all";
  return [
    "storage",
    ...(endpointsFirst ? (["foundation"] as const) : []),
    ...(recommendation ? (["personalization", "filters"] as const) : []),
    ...(endpointsFirst ? [] : (["foundation"] as const)),
    ...(recommendation ? (["recommendation"] as const) : []),
    ...(searchGateway ? (["search-gateway"] as const) : []),
  ];
}

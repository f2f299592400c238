import type { ClusterEnv } from "../../lib/search/opensearch/cluster-env.ts";
import { clusterUrl } from "../../lib/settings/cluster-address.ts";
import type { SearchGateway } from "../../lib/settings/configuration.ts";
import { gatewayInput } from "../input.ts";
import type { ProjectStack } from "../project-stack.ts";

type Without<T, Key extends string> = T extends unknown ? Omit<T, Key> : never;

/** The variables by which a function finds the cluster. Lambda sets the region itself and rejects it as a variable. */
export type ClusterVariables = Without<ClusterEnv, "AWS_REGION">;

/** Returns the variables by which a function finds the cluster. */
export function clusterVariables({ opensearch }: SearchGateway): ClusterVariables {
  const { auth, domain } = opensearch;
  const OPENSEARCH_NODE = clusterUrl(domain);
  if (auth?.type !== "basic") return { OPENSEARCH_AUTH: auth?.type ?? "none", OPENSEARCH_NODE };
  return { OPENSEARCH_AUTH: auth.type, OPENSEARCH_NODE, OPENSEARCH_SECRET_ARN: auth.master_user_secret_arn };
}

/** Returns the KMS key of the secret with the master user, by its ARN or by its alias. */
export function secretKeysOf(stack: ProjectStack): { keys: string[]; aliases: string[] } {
  const { gateway, found } = gatewayInput(stack.input);
  const key = gateway.opensearch.auth?.type === "basic" ? found.secretKeyArn : undefined;
  if (key === undefined) return { keys: [], aliases: [] };
  return key.includes(":alias/")
    ? { keys: [], aliases: [key.slice(key.indexOf("alias/"))] }
    : { keys: [key], aliases: [] };
}

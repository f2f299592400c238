/** The roles of functions in a cluster with fine-grained access control. */
import type { FunctionName, Names } from "../../lib/platform/naming/names.ts";
import { type ClusterRole, gatewayRole, suggestionsRole } from "../../lib/search/access/cluster-role.ts";
import { suggestionsOf } from "../../lib/search/suggest/name.ts";
import type { Configuration } from "../../lib/settings/configuration.ts";

/** A function that calls the cluster, with the role that it needs there. */
export interface FunctionsClusterRole {
  fn: FunctionName;
  /** Name of the role in the cluster. */
  name: string;
  /** ARN of the function's role of IAM, which is a backend role there. */
  roleArn: string;
  role: ClusterRole;
}

/** Returns the roles of all functions that call the cluster; none without a gateway. */
export function clusterRoles({ api, searchGateway }: Configuration, names: Names): FunctionsClusterRole[] {
  if (!searchGateway) return [];
  const entry = (fn: FunctionName, role: ClusterRole) => ({
    ...{ fn, name: names.function(fn), role },
    roleArn: names.roleArn(names.functionRole(fn)),
  });
  const suggested = searchGateway.hybridQueries.filter(({ suggest }) => suggest).map(({ index }) => index);
  return [
    entry("api-router", gatewayRole(api.keys, suggestionsOf(suggested))),
    ...(suggested.length > 0
      ? [entry("suggestions", suggestionsRole([...suggested, ...suggestionsOf(suggested)]))]
      : []),
  ];
}

/** Returns the calls that create these roles and map them, in the form of Dev Tools. */
export const roleCalls = (roles: readonly FunctionsClusterRole[]): string[] =>
  roles.map(
    ({ name, role, roleArn }) =>
      `PUT _plugins/_security/api/roles/${name}\n${JSON.stringify(role)}\n\n` +
      `PUT _plugins/_security/api/rolesmapping/${name}\n${JSON.stringify({ backend_roles: [roleArn] })}\n`,
  );

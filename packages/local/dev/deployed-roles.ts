import type { FunctionName, Names } from "@relevance/lib/platform/naming/names.ts";
import type { Configuration } from "@relevance/lib/settings/configuration.ts";
import type { Cloud } from "@relevance/local-aws/cloud/front.ts";
import { roleVariables } from "@relevance/local-aws/cloud/permissions.ts";
import { keptRoles } from "./kept-roles.ts";
import { createRole, putRolePolicy } from "./resources.ts";

/** A role as the stacks deploy it. */
interface DeployedRole {
  name: string;
  /** Trust policy. */
  trust: string;
  policies: { name: string; policy: string }[];
}

/** One action of one statement of a role. */
export interface Permission {
  role: string;
  sid: string;
  action: string;
}

/** The parts of a synthesized stack that are read here. */
interface Synthesized {
  aws_iam_role?: Record<string, { name: string; assume_role_policy: string }>;
  aws_iam_role_policy?: Record<string, { name: string; role: string; policy: string }>;
}

/**
 * Creates the roles of a deployment of this configuration, with exactly the policies of the stacks. So functions, state
 * machines, Firehose and Personalize have the same permissions here as in AWS. Tests remove single permissions.
 */
export async function createDeployedRoles(
  cloud: Pick<Cloud, "endpoint">,
  config: Configuration,
  taken?: Permission,
): Promise<void> {
  const roles = await keptRoles(config, () => deployedRoles(config));
  await Promise.all(
    roles.map(async ({ name, trust, policies }) => {
      await createRole(cloud, name, trust);
      for (const { name: policyName, policy } of policies) {
        const given = taken?.role === name ? withoutPermission(policy, taken) : policy;
        await putRolePolicy(cloud, name, policyName, given);
      }
    }),
  );
}

/** Returns the variables with which a function that runs in this process acts for its role. */
export function variablesOfRole(
  { endpoint }: Pick<Cloud, "endpoint">,
  names: Names,
  name: FunctionName,
): Promise<Record<string, string>> {
  const functionArn = names.arn("lambda", `function:${names.function(name)}`);
  return roleVariables(endpoint, { role: names.roleArn(names.functionRole(name)), functionArn });
}

async function deployedRoles(config: Configuration): Promise<DeployedRole[]> {
  // Loading the stacks takes most of a second, and is only needed if the roles are not cached.
  const { sampleStacks } = await import("../../../stacks/sample-stacks.ts");
  return sampleStacks(config).flatMap((resource) => rolesOf(resource as unknown as Synthesized));
}

/** Placeholder ARN for keys and topics, which do not exist here. */
const ABSENT = "arn:aws:kms:::key/absent";

function rolesOf({ aws_iam_role = {}, aws_iam_role_policy = {} }: Synthesized): DeployedRole[] {
  return Object.entries(aws_iam_role).map(([id, { name, assume_role_policy: trust }]) => ({
    name,
    trust,
    policies: Object.values(aws_iam_role_policy)
      .filter(({ role }) => role === `\${aws_iam_role.${id}.name}`)
      .map(({ name, policy }) => ({ name, policy: policy.replaceAll(/\$\{aws_\w+\.[\w-]+\.arn\}/g, ABSENT) })),
  }));
}

interface Statement {
  Sid: string;
  Action: string | readonly string[];
}

/** Returns a policy without one action of one of its statements. */
export function withoutPermission(policy: string, { sid, action }: Pick<Permission, "sid" | "action">): string {
  const { Statement, ...document }: { Statement: readonly Statement[] } = JSON.parse(policy);
  const left = Statement.map((statement) =>
    statement.Sid === sid
      ? { ...statement, Action: [statement.Action].flat().filter((one) => one !== action) }
      : statement,
  );
  return JSON.stringify({ ...document, Statement: left.filter(({ Action }) => Action.length > 0) });
}

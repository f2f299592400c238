import { IamRole } from "#aws/iam-role";
import { IamRolePolicy } from "#aws/iam-role-policy";
import { policyDocument, type Statement } from "../../lib/platform/aws/iam-statement.ts";
import type { ProjectStack } from "../project-stack.ts";

export interface RoleOptions {
  name: string;
  description: string;
  /** The service that assumes it, such as `lambda.amazonaws.com`. */
  service: string;
  /** Conditions for assuming it, so that the service acts only for this account. */
  conditions?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** Adds a role that a service assumes. */
export function serviceRole(stack: ProjectStack, id: string, options: RoleOptions): IamRole {
  const { name, description, service, conditions } = options;
  const trust = {
    Effect: "Allow",
    Principal: { Service: service },
    Action: "sts:AssumeRole",
    ...(conditions && { Condition: conditions }),
  };
  const { permissions_boundary_arn, role_path } = stack.input.config.project.aws;
  return new IamRole(stack, id, {
    name,
    description,
    ...(role_path !== "/" && { path: role_path }),
    ...(permissions_boundary_arn !== undefined && { permissionsBoundary: permissions_boundary_arn }),
    assumeRolePolicy: JSON.stringify({ Version: "2012-10-17", Statement: [trust] }),
  });
}

/** Adds a role's policy. Resources that use the role must depend on it. */
export function rolePolicy(
  stack: ProjectStack,
  id: string,
  role: IamRole,
  allowed: readonly Statement[],
  denied: readonly Statement[] = [],
): IamRolePolicy {
  return new IamRolePolicy(stack, id, { name: id, role: role.name, policy: policyDocument(allowed, denied) });
}

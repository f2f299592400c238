import { IamRole } from "@cdktf/provider-aws/lib/iam-role/index.js";
import { IamRolePolicy } from "@cdktf/provider-aws/lib/iam-role-policy/index.js";
import type { Statement } from "../../lib/aws/iam-statement.ts";
import type { ProjectStack } from "../project-stack.ts";

/** A policy document that allows these statements and denies those. */
export function policyDocument(allowed: readonly Statement[], denied: readonly Statement[] = []): string {
  const Statement = [...allowed.map((one) => toJson("Allow", one)), ...denied.map((one) => toJson("Deny", one))];
  return JSON.stringify({ Version: "2012-10-17", Statement });
}

function toJson(Effect: "Allow" | "Deny", { sid, actions, resources, conditions }: Statement) {
  return {
    Sid: sid,
    Effect,
    Action: [...actions],
    Resource: [...resources],
    ...(conditions && { Condition: conditions }),
  };
}

export interface RoleOptions {
  name: string;
  description: string;
  /** The service that assumes it, as in `lambda.amazonaws.com`. */
  service: string;
  /** Of assuming it: so that the service acts for this account alone. */
  conditions?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** A role that a service assumes. */
export function serviceRole(stack: ProjectStack, id: string, options: RoleOptions): IamRole {
  const { name, description, service, conditions } = options;
  const trust = {
    Effect: "Allow",
    Principal: { Service: service },
    Action: "sts:AssumeRole",
    ...(conditions && { Condition: conditions }),
  };
  return new IamRole(stack, id, {
    name,
    description,
    assumeRolePolicy: JSON.stringify({ Version: "2012-10-17", Statement: [trust] }),
  });
}

/** What a role may do; resources that use the role depend on it. */
export function rolePolicy(
  stack: ProjectStack,
  id: string,
  role: IamRole,
  allowed: readonly Statement[],
  denied: readonly Statement[] = [],
): IamRolePolicy {
  return new IamRolePolicy(stack, id, { name: id, role: role.name, policy: policyDocument(allowed, denied) });
}

import { KmsAlias } from "@cdktf/provider-aws/lib/kms-alias/index.js";
import { KmsKey } from "@cdktf/provider-aws/lib/kms-key/index.js";
import type { Statement } from "../../lib/aws/iam-statement.ts";
import type { Names } from "../../lib/core/naming/names.ts";
import type { ProjectStack } from "../project-stack.ts";

/** A statement of a key's own policy; it is always about the key. */
export interface KeyStatement {
  sid: string;
  /** Services, as in `logs.eu-west-1.amazonaws.com`. */
  services: readonly string[];
  actions: readonly string[];
  conditions: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface KeyOptions {
  alias: string;
  description: string;
  statements: readonly KeyStatement[];
  /** Refuses every plan that would delete it. */
  protect: boolean;
}

/** A key with its alias: what uses it with a permission that names the alias depends on both. */
export type AliasedKey = KmsKey & { readonly alias: KmsAlias };

/** A key with yearly rotation. Who of the account uses it is said by roles; services are named in its policy. */
export function encryptionKey(stack: ProjectStack, id: string, options: KeyOptions): AliasedKey {
  const { alias, description, statements, protect } = options;
  const key = new KmsKey(stack, id, {
    description,
    enableKeyRotation: true,
    deletionWindowInDays: 30,
    policy: keyPolicy(stack, statements),
    lifecycle: { preventDestroy: protect },
  });
  return Object.assign(key, {
    alias: new KmsAlias(stack, `${id}-alias`, { name: alias, targetKeyId: key.keyId }),
  });
}

function keyPolicy({ names, input }: ProjectStack, statements: readonly KeyStatement[]): string {
  const root = `arn:${names.partition()}:iam::${input.discovery.account}:root`;
  const Statement = [
    // Without it nobody could change the key any more. Source: "Default key policy", KMS Developer Guide.
    { Sid: "Account", Effect: "Allow", Principal: { AWS: root }, Action: "kms:*", Resource: "*" },
    ...statements.map(({ sid, services, actions, conditions }) => ({
      Sid: sid,
      Effect: "Allow",
      Principal: { Service: [...services] },
      Action: [...actions],
      Resource: "*",
      Condition: conditions,
    })),
  ];
  return JSON.stringify({ Version: "2012-10-17", Statement });
}

/**
 * Permission to use the project's key. The key is of another stack, so its id is not known here: the alias names it, in
 * a condition, since IAM does not take aliases as resources.
 */
export function useProjectKey(names: Names, actions: readonly string[]): Statement {
  return {
    sid: "UseTheProjectsKey",
    actions,
    resources: [names.arn("kms", "key/*")],
    conditions: { "ForAnyValue:StringEquals": { "kms:ResourceAliases": names.kmsAlias() } },
  };
}

/**
 * Statements in which `anyKey` stands for a key of another stack, bound to that key's aliases: see `useProjectKey`. Others
 * stay as they are.
 */
export function boundToAliases(
  statements: readonly Statement[],
  anyKey: string,
  aliases: readonly string[],
): Statement[] {
  const conditions = { "ForAnyValue:StringEquals": { "kms:ResourceAliases": aliases } };
  return statements.map((one) => (one.resources.includes(anyKey) ? { ...one, conditions } : one));
}

import { KmsAlias } from "@cdktf/provider-aws/lib/kms-alias/index.js";
import { KmsKey } from "@cdktf/provider-aws/lib/kms-key/index.js";
import type { Statement } from "../../lib/aws/iam-statement.ts";
import type { Names } from "../../lib/core/naming/names.ts";
import type { ProjectStack } from "../project-stack.ts";

/** A statement of a key policy; its resource is always the key. */
export interface KeyStatement {
  sid: string;
  /** Services, such as `logs.eu-west-1.amazonaws.com`. */
  services: readonly string[];
  actions: readonly string[];
  conditions: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

export interface KeyOptions {
  alias: string;
  description: string;
  statements: readonly KeyStatement[];
  /** Rejects every plan that would delete the key. */
  protect: boolean;
}

/** A key and its alias. Users whose permission names the alias must depend on both. */
export type AliasedKey = KmsKey & { readonly alias: KmsAlias };

/** Adds a key with yearly rotation. Roles grant its use within the account; its policy names the services. */
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
    // Without this statement nobody could manage the key. Source: "Default key policy", KMS Developer Guide.
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
 * Returns the permission to use the project's key. The key belongs to another stack, so its id is unknown here. A
 * condition names its alias, since IAM does not accept aliases as resources.
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
 * Returns the statements with `anyKey`, which stands for a key of another stack, limited to that key's aliases; see
 * `useProjectKey`. Leaves other statements unchanged.
 */
export function boundToAliases(
  statements: readonly Statement[],
  anyKey: string,
  aliases: readonly string[],
): Statement[] {
  const conditions = { "ForAnyValue:StringEquals": { "kms:ResourceAliases": aliases } };
  return statements.map((one) => (one.resources.includes(anyKey) ? { ...one, conditions } : one));
}

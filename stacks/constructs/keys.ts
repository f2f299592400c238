import { KmsAlias } from "#aws/kms-alias";
import { KmsKey } from "#aws/kms-key";
import type { ITerraformDependable } from "#cdktf";
import type { Statement } from "../../lib/platform/aws/iam-statement.ts";
import type { Service } from "../../lib/platform/naming/names.ts";
import type { ProjectStack } from "../project-stack.ts";

/** A statement of a key policy; its resource is always the key. */
export interface KeyStatement {
  sid: string;
  /** Services, such as `logs.eu-west-1.amazonaws.com`; absent for callers that only the conditions name. */
  services?: readonly string[];
  actions: readonly string[];
  conditions: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

interface KeyOptions {
  alias: string;
  description: string;
  statements: readonly KeyStatement[];
  /** Rejects every plan that would delete the key. */
  protect: boolean;
}

/** A key. Users whose permission names its alias must depend on `ready`. */
interface EncryptionKey {
  arn: string;
  ready: ITerraformDependable[];
}

/**
 * Adds a key with yearly rotation, or returns `aws.kms_key_arn`. Roles grant its use within the account; its policy
 * names the services.
 */
export function encryptionKey(stack: ProjectStack, id: string, options: KeyOptions): EncryptionKey {
  const own = stack.input.config.project.aws.kms_key_arn;
  if (own !== undefined) return { arn: own, ready: [] };
  const { alias, description, statements, protect } = options;
  const key = new KmsKey(stack, id, {
    description,
    enableKeyRotation: true,
    deletionWindowInDays: 30,
    policy: keyPolicy(stack, statements),
    lifecycle: { preventDestroy: protect },
  });
  return { arn: key.arn, ready: [new KmsAlias(stack, `${id}-alias`, { name: alias, targetKeyId: key.keyId })] };
}

function keyPolicy({ names, input }: ProjectStack, statements: readonly KeyStatement[]): string {
  const root = `arn:${names.partition()}:iam::${input.discovery.account}:root`;
  const Statement = [
    // Without this statement nobody could manage the key. Source: "Default key policy", KMS Developer Guide.
    { Sid: "Account", Effect: "Allow", Principal: { AWS: root }, Action: "kms:*", Resource: "*" },
    ...statements.map(({ sid, services, actions, conditions }) => ({
      Sid: sid,
      Effect: "Allow",
      Principal: services ? { Service: [...services] } : { AWS: "*" },
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
export function useProjectKey({ names, input }: ProjectStack, actions: readonly string[]): Statement {
  const own = input.config.project.aws.kms_key_arn;
  const sid = "UseTheProjectsKey";
  if (own !== undefined) return { sid, actions, resources: [own] };
  const conditions = { "ForAnyValue:StringEquals": { "kms:ResourceAliases": names.kmsAlias() } };
  return { sid, actions, resources: [names.arn("kms", "key/*")], conditions };
}

/**
 * Returns the statements with `anyKey`, which stands for a key of another stack, limited to that key's aliases, or to
 * `aws.kms_key_arn`; see `useProjectKey`. Leaves other statements unchanged.
 */
export function boundToAliases(
  { input }: ProjectStack,
  statements: readonly Statement[],
  anyKey: string,
  aliases: readonly string[],
): Statement[] {
  const own = input.config.project.aws.kms_key_arn;
  const conditions = { "ForAnyValue:StringEquals": { "kms:ResourceAliases": aliases } };
  const bound = own === undefined ? { conditions } : { resources: [own] };
  return statements.map((one) => (one.resources.includes(anyKey) ? { ...one, ...bound } : one));
}

interface LogKeyOptions {
  /** The encrypted data; default: logs. */
  of?: string;
  /** Rejects every plan that would delete the key; for a key that also encrypts data to keep. Default false. */
  protect?: boolean;
}

/**
 * Adds the key of a stack's log groups and stream. It is in the stack itself since CloudWatch Logs accepts no alias.
 */
export function logKey(
  stack: ProjectStack,
  service: Service | "personalization",
  { of = "logs", protect = false }: LogKeyOptions = {},
): EncryptionKey {
  const { names, input } = stack;
  const { region, account } = input.discovery;
  return encryptionKey(stack, "log-key", {
    alias: names.serviceKmsAlias(service),
    description: `${input.config.project.project_name}: ${of} of the ${service}`,
    statements: [
      {
        sid: "LogGroups",
        services: [names.logsPrincipal()],
        actions: [
          "kms:Encrypt",
          "kms:Decrypt",
          "kms:ReEncryptFrom",
          "kms:ReEncryptTo",
          "kms:GenerateDataKey",
          "kms:DescribeKey",
        ],
        // Only for log groups of this account. Source: "Encrypt log data in CloudWatch Logs", CloudWatch Logs User
        // Guide.
        conditions: {
          ArnLike: { "kms:EncryptionContext:aws:logs:arn": `arn:${names.partition()}:logs:${region}:${account}:*` },
        },
      },
    ],
    protect,
  });
}

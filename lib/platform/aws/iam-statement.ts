/**
 * One IAM statement of a function's `policy.ts`, which keeps permissions next to the code that needs them. The stack
 * adds `Effect: Allow` and creates one role for each function.
 */
export interface Statement {
  /** Letters and digits only, unique within a role. */
  sid: string;
  /** Named actions; never a wildcard. */
  actions: readonly string[];
  resources: readonly string[];
  conditions?: Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;
}

/** Returns a policy document with these allowed and denied statements. */
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

/** Returns the permission to write to the function's log group. The stack creates it, so no `logs:CreateLogGroup`. */
export function writeLogs(logGroupArn: string): Statement {
  return {
    sid: "WriteLogs",
    actions: ["logs:CreateLogStream", "logs:PutLogEvents"],
    resources: [`${logGroupArn}:*`],
  };
}

/**
 * Returns the permission to tag resources of Personalize in a region. The Service Authorization Reference has no resource
 * type for these actions, so a statement with ARNs may never apply: only `*` is right whether IAM looks at the resource
 * or not.
 */
export function tagPersonalizeResources(
  actions: readonly ("ListTagsForResource" | "TagResource" | "UntagResource")[],
  region: string,
): Statement {
  return {
    sid: "TagResources",
    actions: actions.map((action) => `personalize:${action}`),
    resources: ["*"],
    conditions: { StringEquals: { "aws:RequestedRegion": region } },
  };
}

/** KMS keys of secrets, or aliases where only these are known; none for the account's default key. */
export interface SecretKeys {
  keys: readonly string[];
  aliases: readonly string[];
  /** ARN of every key of the account and region. */
  anyKey: string;
}

/** Returns the permissions to decrypt secrets; none for the account's default key. */
export function decryptSecrets({ keys, aliases, anyKey }: SecretKeys): Statement[] {
  return [
    ...(keys.length === 0 ? [] : [{ sid: "DecryptSecrets", actions: ["kms:Decrypt"], resources: keys }]),
    // IAM does not accept aliases as resources, so a condition names them.
    ...(aliases.length === 0
      ? []
      : [
          {
            sid: "DecryptSecretsByAlias",
            actions: ["kms:Decrypt"],
            resources: [anyKey],
            conditions: { "ForAnyValue:StringEquals": { "kms:ResourceAliases": aliases } },
          },
        ]),
  ];
}

/** The secrets that `deploy` makes: the key that hashes user ids, and those that sign tokens. */
export type OwnSecrets = SecretKeys & { secrets: string[] };

/** Returns the permissions to read the secrets that `deploy` makes; none if there are none. */
export function readOwnSecrets(own: OwnSecrets | undefined): Statement[] {
  if (!own) return [];
  return [
    { sid: "ReadOwnSecrets", actions: ["secretsmanager:GetSecretValue"], resources: own.secrets },
    ...decryptSecrets(own),
  ];
}

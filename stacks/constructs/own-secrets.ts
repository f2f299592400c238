import type { OwnSecrets } from "../../lib/platform/aws/iam-statement.ts";
import type { Service } from "../../lib/platform/naming/names.ts";
import { keysWithSecrets } from "../../lib/settings/access.ts";
import type { ProjectStack } from "../project-stack.ts";

/**
 * Returns the secrets that a service reads and what decrypts them: the key that hashes user ids, and those that sign the
 * tokens of its keys. Undefined if there are none.
 */
export function ownSecrets({ names, input }: ProjectStack, service: Service): OwnSecrets | undefined {
  const { api, project } = input.config;
  const own = [
    ...(api.logging.user_id === "hmac" ? [names.userIdKeyParameter()] : []),
    ...keysWithSecrets(api, service).map(({ name }) => names.tokenSecret(name)),
  ];
  if (own.length === 0) return undefined;
  const key = project.aws.kms_key_arn;
  return {
    // Secrets Manager appends six characters to a name.
    secrets: own.map((name) => names.arn("secretsmanager", `secret:${name}-??????`)),
    keys: key === undefined ? [] : [key],
    aliases: key === undefined ? [names.kmsAlias()] : [],
    anyKey: names.arn("kms", "key/*"),
  };
}

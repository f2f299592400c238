import type { UserIdKey } from "../../lib/platform/aws/iam-statement.ts";
import type { ProjectStack } from "../project-stack.ts";

/** Returns the secret with the key that hashes user ids and its KMS key; undefined unless `logging.user_id` is `hmac`. */
export function userIdKeySecret({ names, input }: ProjectStack): UserIdKey | undefined {
  if (input.config.api.logging.user_id !== "hmac") return undefined;
  const own = input.config.project.aws.kms_key_arn;
  return {
    // Secrets Manager appends six characters to a name.
    secret: names.arn("secretsmanager", `secret:${names.userIdKeyParameter()}-??????`),
    keys: own === undefined ? [] : [own],
    aliases: own === undefined ? [names.kmsAlias()] : [],
    anyKey: names.arn("kms", "key/*"),
  };
}

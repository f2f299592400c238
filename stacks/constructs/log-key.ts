import type { Service } from "../../lib/core/naming/names.ts";
import type { ProjectStack } from "../project-stack.ts";
import { type EncryptionKey, encryptionKey } from "./keys.ts";

export interface LogKeyOptions {
  /** What it encrypts; default: logs. */
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
        services: [`logs.${region}.amazonaws.com`],
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

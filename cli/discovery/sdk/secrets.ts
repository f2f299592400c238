import { ifThere } from "../../../lib/aws/errors.ts";
import type { DiscoveryClients } from "../clients.ts";
import type { SdkConfig } from "./config.ts";

/** Reads the KMS key of a secret, never its value. */
export function secretsReads(config: SdkConfig): Pick<DiscoveryClients, "secret"> {
  return {
    async secret(arn) {
      const { DescribeSecretCommand, SecretsManagerClient } = await import("@aws-sdk/client-secrets-manager");
      const answer = new SecretsManagerClient(config).send(new DescribeSecretCommand({ SecretId: arn }));
      const found = await ifThere(answer);
      if (!found || found.DeletedDate) return undefined;
      return { kmsKey: keyArn(found.KmsKeyId, arn) };
    },
  };
}

/** Returns the key's ARN. Secrets Manager reports a key as it was set: by ARN, id or alias. */
function keyArn(key: string | undefined, secretArn: string): string | undefined {
  if (key === undefined || key === "" || key.endsWith("alias/aws/secretsmanager")) return undefined;
  if (key.startsWith("arn:")) return key;
  const [, partition, , region, account] = secretArn.split(":");
  return `arn:${partition}:kms:${region}:${account}:${key.startsWith("alias/") ? key : `key/${key}`}`;
}

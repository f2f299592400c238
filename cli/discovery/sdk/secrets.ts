import { ignoreNotFound } from "../../../lib/platform/aws/errors.ts";
import type { SdkConfig } from "./config.ts";

/** Reads a secret; undefined if it does not exist, or has no value yet. */
export async function readSecret(sdk: SdkConfig, SecretId: string): Promise<string | undefined> {
  const { GetSecretValueCommand, SecretsManagerClient } = await import("@aws-sdk/client-secrets-manager");
  const found = new SecretsManagerClient(sdk).send(new GetSecretValueCommand({ SecretId }));
  // Secrets Manager also answers ResourceNotFound for a secret without a value.
  return (await ignoreNotFound(found))?.SecretString;
}

/** Writes the value of an existing secret. */
export async function writeSecret(sdk: SdkConfig, SecretId: string, SecretString: string): Promise<void> {
  const { PutSecretValueCommand, SecretsManagerClient } = await import("@aws-sdk/client-secrets-manager");
  await new SecretsManagerClient(sdk).send(new PutSecretValueCommand({ SecretId, SecretString }));
}

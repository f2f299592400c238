import { randomBytes } from "node:crypto";
import { ifThere } from "../../lib/aws/errors.ts";
import type { Session } from "../session.ts";

/** Length of the key in bytes: that of the hash. */
const BYTES = 32;

/**
 * Writes the value of the user-id key if it has none. Terraform creates the secret but never sees its value. The value
 * never changes, since another one would hash the same user differently. Returns whether a value was written.
 */
export async function ensureUserIdKey(sdk: Session["sdk"], SecretId: string): Promise<boolean> {
  const { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } = await import(
    "@aws-sdk/client-secrets-manager"
  );
  const client = new SecretsManagerClient(sdk);
  // Secrets Manager also answers ResourceNotFound for a secret without a value.
  if (await ifThere(client.send(new GetSecretValueCommand({ SecretId })))) return false;
  await client.send(new PutSecretValueCommand({ SecretId, SecretString: randomBytes(BYTES).toString("base64") }));
  return true;
}

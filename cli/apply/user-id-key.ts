import { randomBytes } from "node:crypto";
import { ifThere } from "../../lib/aws/errors.ts";
import type { Session } from "../session.ts";

/** Bytes of the key; as many as the hash has. */
const BYTES = 32;

/**
 * Gives the key of user ids its value, once: Terraform makes the secret, and never sees what is in it. Another value
 * would make other hashes of the same users. Gives whether a value was written.
 */
export async function ensureUserIdKey(sdk: Session["sdk"], SecretId: string): Promise<boolean> {
  const { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } = await import(
    "@aws-sdk/client-secrets-manager"
  );
  const client = new SecretsManagerClient(sdk);
  // Secrets Manager answers ResourceNotFound for a secret without a value, too.
  if (await ifThere(client.send(new GetSecretValueCommand({ SecretId })))) return false;
  await client.send(new PutSecretValueCommand({ SecretId, SecretString: randomBytes(BYTES).toString("base64") }));
  return true;
}

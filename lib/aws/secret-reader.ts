import type { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";

/** Reads the current text of a secret. The SDK is loaded by the first reading. */
export function secretReader(timeoutMs = 5_000): (arn: string) => Promise<string> {
  let client: Promise<SecretsManagerClient> | undefined;
  const sdk = () => import("@aws-sdk/client-secrets-manager");
  const connect = async () => new (await sdk()).SecretsManagerClient({ maxAttempts: 3 });

  return async (arn) => {
    client ??= connect();
    const [{ GetSecretValueCommand }, secrets] = await Promise.all([sdk(), client]);
    const command = new GetSecretValueCommand({ SecretId: arn });
    const { SecretString } = await secrets.send(command, { abortSignal: AbortSignal.timeout(timeoutMs) });
    if (SecretString === undefined) throw new Error("the secret has no text");
    return SecretString;
  };
}

import type { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { once } from "../core/resilience/once.ts";

/** Returns a function that reads the current text of a secret. The first call loads the SDK. */
export function secretReader(timeoutMs = 5_000): (arn: string) => Promise<string> {
  const sdk = () => import("@aws-sdk/client-secrets-manager");
  const client = once(
    async (): Promise<SecretsManagerClient> => new (await sdk()).SecretsManagerClient({ maxAttempts: 3 }),
  );

  return async (arn) => {
    const [{ GetSecretValueCommand }, secrets] = await Promise.all([sdk(), client()]);
    const command = new GetSecretValueCommand({ SecretId: arn });
    const { SecretString } = await secrets.send(command, { abortSignal: AbortSignal.timeout(timeoutMs) });
    if (SecretString === undefined) throw new Error("the secret has no text");
    return SecretString;
  };
}

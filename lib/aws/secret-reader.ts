import { lazyClient } from "../core/resilience/once.ts";

/** Returns a function that reads the current text of a secret. The first call loads the SDK. */
export function secretReader(timeoutMs = 5_000): (arn: string) => Promise<string> {
  const client = lazyClient(
    () => import("@aws-sdk/client-secrets-manager"),
    (sdk) => new sdk.SecretsManagerClient({ maxAttempts: 3 }),
  );

  return async (arn) => {
    const [{ GetSecretValueCommand }, secrets] = await client();
    const command = new GetSecretValueCommand({ SecretId: arn });
    const { SecretString } = await secrets.send(command, { abortSignal: AbortSignal.timeout(timeoutMs) });
    if (SecretString === undefined) throw new Error("the secret has no text");
    return SecretString;
  };
}

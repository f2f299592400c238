import { CreateSecretCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import type { Cloud } from "../cloud/front.ts";

/** Creates a secret in the local cloud, which is empty at each start. */
export async function createSecret(
  cloud: Pick<Cloud, "endpoint" | "region">,
  name: string,
  value: string,
): Promise<void> {
  const client = new SecretsManagerClient({
    endpoint: cloud.endpoint,
    region: cloud.region,
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });
  await client.send(new CreateSecretCommand({ Name: name, SecretString: value }));
}

import { CreateSecretCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { type Cloud, rootOptions } from "../cloud/front.ts";

/** Creates a secret in the local cloud, which is empty at each start. */
export async function createSecret(cloud: Pick<Cloud, "endpoint">, Name: string, SecretString: string): Promise<void> {
  await new SecretsManagerClient(rootOptions(cloud)).send(new CreateSecretCommand({ Name, SecretString }));
}

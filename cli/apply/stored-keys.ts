import { ignoreNotFound } from "../../lib/platform/aws/errors.ts";
import { parseJson } from "../../lib/platform/json/values.ts";
import type { Configuration } from "../../lib/settings/configuration.ts";
import type { DeployedApi } from "../deployed-api.ts";
import type { Project } from "../project.ts";

/** Returns whether `deploy` writes the keys to a secret: with `keys_to`, if callers have keys. */
export const storesKeys = ({ api }: Pick<Configuration, "api">): boolean =>
  api.keys_to === "secretsmanager" && api.authorization === "api_key";

/** Returns the newest value of each key of each service, by `<service>.<key>`. */
export function keyValues(apis: readonly DeployedApi[]): Record<string, string> {
  const all = apis.flatMap(({ service, keys }) => keys.map(({ key, value }) => [`${service}.${key}`, value] as const));
  return Object.fromEntries(all);
}

/** Writes the keys to the project's secret if they differ from what it holds, and returns the secret's name. */
export async function storeKeys(
  { sdk, names }: Pick<Project, "sdk" | "names">,
  apis: readonly DeployedApi[],
): Promise<string> {
  const { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } = await import(
    "@aws-sdk/client-secrets-manager"
  );
  const client = new SecretsManagerClient(sdk);
  const SecretId = names.apiKeysSecret();
  const stored = await ignoreNotFound(client.send(new GetSecretValueCommand({ SecretId })));
  const wanted = JSON.stringify(keyValues(apis));
  if (JSON.stringify(parseJson(stored?.SecretString ?? "")) !== wanted) {
    await client.send(new PutSecretValueCommand({ SecretId, SecretString: wanted }));
  }
  return SecretId;
}

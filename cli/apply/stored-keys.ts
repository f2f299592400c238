import { parseJson } from "../../lib/platform/json/values.ts";
import type { Configuration } from "../../lib/settings/configuration.ts";
import type { DeployedApi } from "../deployed-api.ts";
import { readSecret, writeSecret } from "../discovery/sdk/secrets.ts";
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
  const id = names.apiKeysSecret();
  const wanted = JSON.stringify(keyValues(apis));
  const stored = parseJson((await readSecret(sdk, id)) ?? "");
  if (JSON.stringify(stored) !== wanted) await writeSecret(sdk, id, wanted);
  return id;
}

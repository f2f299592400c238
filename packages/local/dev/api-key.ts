import { randomBytes } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readIfThere } from "@relevance/processes/files.ts";

/** Name of the local stack's own key in its functions. Keys of api.yaml cannot have it, because of the space. */
export const LOCAL_KEY = "local stack";

/** The API keys of the local stack. */
export interface LocalKeys {
  /** The key without restrictions. */
  own: string;
  /** The keys of api.yaml by their names. */
  named: Readonly<Record<string, string>>;
  /** All keys, in the order in which the local API numbers their ids. */
  values: readonly string[];
  /** The functions' variable API_KEYS: the name of each key id. */
  environment: string;
}

/** Returns the keys. Each is created once and stored, so that a user's scripts keep working. */
export function localKeys(dir: string, configured: ReadonlyArray<{ name: string }> = []): LocalKeys {
  const names = configured.map(({ name }) => name);
  const own = storedKey(join(dir, "api-key"));
  const named = Object.fromEntries(names.map((name) => [name, storedKey(join(dir, `api-key-${name}`))]));
  return {
    own,
    named,
    values: [own, ...Object.values(named)],
    environment: [LOCAL_KEY, ...names].map((name, index) => `key-${index + 1}=${name}`).join(","),
  };
}

function storedKey(file: string): string {
  const stored = readIfThere(file)?.trim();
  if (stored) return stored;
  const key = randomBytes(20).toString("hex");
  writeFileSync(file, `${key}\n`, { mode: 0o600 });
  return key;
}

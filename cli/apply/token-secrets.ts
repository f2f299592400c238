import { randomBytes } from "node:crypto";
import * as v from "valibot";
import { Failure } from "../../lib/platform/failure.ts";
import { ApiError } from "../../lib/platform/http/error.ts";
import { createTokens, SigningSecrets } from "../../lib/platform/http/tokens.ts";
import { parseJson } from "../../lib/platform/json/values.ts";
import type { Names } from "../../lib/platform/naming/names.ts";
import { accessSettings } from "../../lib/settings/access.ts";
import type { Configuration } from "../../lib/settings/configuration.ts";
import type { SdkConfig } from "../discovery/sdk/config.ts";
import { readSecret, writeSecret } from "../discovery/sdk/secrets.ts";

type Account = { sdk: SdkConfig; names: Pick<Names, "tokenSecret"> };

/** Length of a signing secret in bytes: that of the hash. */
const BYTES = 32;

/** Returns the signing secrets of a key. Throws Failure if `deploy` has not made them. */
export async function tokenSecrets({ sdk, names }: Account, key: string): Promise<SigningSecrets> {
  const name = names.tokenSecret(key);
  const parsed = v.safeParse(SigningSecrets, JSON.parse((await readSecret(sdk, name)) ?? "null"));
  if (parsed.success) return parsed.output;
  throw new Failure(`the secret ${name} has no signing secret: add \`tokens\` to the key and run \`relevance deploy\``);
}

/** Writes a random signing secret of a key if it has none. Returns whether it did. */
export async function ensureTokenSecret({ sdk, names }: Account, key: string): Promise<boolean> {
  if ((await readSecret(sdk, names.tokenSecret(key))) !== undefined) return false;
  await writeSecret(sdk, names.tokenSecret(key), JSON.stringify(withNew({ key, current: "0", secrets: {} })));
  return true;
}

/** Returns what a token may do, or why its key refuses it. */
export async function explainToken(
  project: Account & { config: Pick<Configuration, "api"> },
  key: string,
  token: string,
): Promise<object> {
  const rules = accessSettings(project.config.api, project.names).keys?.find(({ name }) => name === key);
  const readSecret = async () => JSON.stringify(await tokenSecrets(project, key));
  const [header, claims] = token.split(".", 2).map((part) => parseJson(Buffer.from(part, "base64url")));
  try {
    const narrowed = rules && (await createTokens({ readSecret })(rules, token));
    const { tokens: _, ...rights } = narrowed ?? {};
    return { header, claims, rights };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { header, claims, refused: { status: error.statusCode, message: error.message } };
  }
}

/** Adds a signing secret, which signs from now on, or removes all others with `finish`. Returns the id of the current one. */
export async function rotateTokenSecret(account: Account, key: string, finish: boolean): Promise<string> {
  const before = await tokenSecrets(account, key);
  const { current, secrets } = before;
  const after = finish ? { ...before, secrets: { [current]: secrets[current] ?? "" } } : withNew(before);
  await writeSecret(account.sdk, account.names.tokenSecret(key), JSON.stringify(after));
  return after.current;
}

function withNew({ key, current, secrets }: SigningSecrets): SigningSecrets {
  const id = String(Number(current) + 1);
  return { key, current: id, secrets: { ...secrets, [id]: randomBytes(BYTES).toString("base64url") } };
}

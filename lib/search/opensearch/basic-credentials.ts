import * as v from "valibot";
import { ApiError } from "../../platform/http/error.ts";
import { parseJson } from "../../platform/json/values.ts";
import type { BasicCredentials } from "./auth.ts";

const Credentials = v.object({ username: v.string(), password: v.string() });

/**
 * Returns the master user from a secret of the form `{"username": …, "password": …}`, which Secrets Manager also uses
 * for database accounts. Throws `upstream_failed`, whose message never quotes the secret.
 */
export async function basicCredentials(read: () => Promise<string>): Promise<BasicCredentials> {
  let text: string;
  try {
    text = await read();
  } catch (cause) {
    throw new ApiError("upstream_failed", "The gateway cannot read the secret with the cluster's account.", { cause });
  }
  const result = v.safeParse(Credentials, parseJson(text));
  if (result.success) return result.output;
  throw new ApiError(
    "upstream_failed",
    'The secret with the cluster\'s account is not {"username": …, "password": …}.',
    { cause: result.issues.map(({ message }) => message).join("; ") },
  );
}

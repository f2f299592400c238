import { type Deadline, withTimeout } from "../../core/resilience/deadline.ts";
import { once } from "../../core/resilience/once.ts";
import type { LoggingSettings } from "../gateway/settings.ts";

/** The longest that an answer waits for the key. A key that arrives later serves the next line. */
const KEY_WAIT_MS = 2_000;

/** Returns a reader of the key that hashes user ids. If reading fails, the log has no user ids, and requests go on. */
export function userIdKey(
  { user_id, hmac_secret_name }: LoggingSettings,
  print: (line: string) => void,
): () => Promise<string | undefined> {
  if (user_id !== "hmac" || hmac_secret_name === undefined) return async () => undefined;
  const key = once(async () => {
    const { secretReader } = await import("../../aws/secret-reader.ts");
    return secretReader()(hmac_secret_name);
  });
  return async () => {
    try {
      return await key();
    } catch (error) {
      const message = "the key for hashing user ids cannot be read";
      print(JSON.stringify({ level: "error", message, cause: String(error) }));
      return undefined;
    }
  };
}

interface KeySource {
  settings: { logging: LoggingSettings };
  userIdKey: () => Promise<string | undefined>;
}

/** Returns the key, or undefined if it is late or no user id is hashed: logging never delays or fails a request. */
export async function keyInTime(
  { settings, userIdKey }: KeySource,
  { deadline }: { deadline: Deadline },
): Promise<string | undefined> {
  if (settings.logging.user_id !== "hmac") return undefined;
  const ms = Math.min(KEY_WAIT_MS, deadline.remaining() / 2);
  return withTimeout(ms, userIdKey, () => new Error("the key is late")).catch(() => undefined);
}

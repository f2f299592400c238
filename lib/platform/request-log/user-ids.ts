import { createHmac } from "node:crypto";
import type { UserIdLogging } from "../contract/search.ts";
import { type Deadline, withTimeout } from "../resilience/deadline.ts";
import { expiring, once } from "../resilience/once.ts";
import { cut, MAX_ID_CHARACTERS, REQUEST_LOG_KINDS, type RequestLogKind } from "./kinds.ts";
import type { LoggingSettings } from "./settings.ts";

/** How user ids are written. */
export interface UserIdSettings {
  /** `hmac`: HMAC-SHA-256 of the user id in hex, stable for one user while the key is. `none`: omitted. */
  userId: UserIdLogging;
  /** Needed for `hmac`. Without it no user id is written. */
  hmacKey?: string | undefined;
}

/** Returns a user id as `logging.user_id` says, or null, for one of the logs. */
export function loggedUserId(
  id: string | null,
  settings: UserIdSettings,
  log: RequestLogKind = "search",
): string | null {
  if (id === null) return null;
  switch (settings.userId) {
    case "plain":
      return plainUserId(id);
    case "hmac":
      return settings.hmacKey ? hashedUserId(id, settings.hmacKey, log) : null;
    case "none":
      return null;
  }
}

const plainUserId = (id: string) => cut(id, MAX_ID_CHARACTERS);

/**
 * A user has another hash in each log. Lists are stored beside events that name the user and the list: with one hash for
 * both, the list would tell whose searches are whose.
 */
function hashedUserId(id: string, key: string, log: RequestLogKind): string {
  const text = log === "search" ? id : `${log}\n${id}`;
  return createHmac("sha256", key).update(text).digest("hex");
}

/** Returns all forms in which logs may name a user, given the key of hashes if there is one. */
export function loggedForms(id: string, key: string | undefined): string[] {
  const hashes = key === undefined ? [] : REQUEST_LOG_KINDS.map((log) => hashedUserId(id, key, log));
  return [plainUserId(id), ...hashes];
}

/** The longest that an answer waits for the key. A key that arrives later serves the next line. */
const KEY_WAIT_MS = 2_000;

/** Replaced in tests so that nothing sleeps. */
interface Clock {
  now?: () => number;
  waitMs?: number;
}

/** How long no request waits for the key after one could not get it. */
const RETRY_MS = 10_000;

/**
 * Returns a reader of the key that hashes user ids. If reading fails or takes long, the log has no user ids, and requests go
 * on: none of them waits again for some seconds.
 */
export function userIdKey(
  { user_id, hmac_secret_name }: LoggingSettings,
  readSecret: (name: string) => Promise<string>,
  print: (line: string) => void,
  { now, waitMs = KEY_WAIT_MS }: Clock = {},
): () => Promise<string | undefined> {
  if (user_id !== "hmac" || hmac_secret_name === undefined) return async () => undefined;
  let key: string | undefined;
  const read = once(async () => {
    try {
      key = await readSecret(hmac_secret_name);
    } catch (error) {
      const message = "the key for hashing user ids cannot be read";
      print(JSON.stringify({ level: "error", message, cause: String(error) }));
      throw error;
    }
  });
  const attempt = expiring(
    () => withTimeout(waitMs, read, late).catch(() => undefined),
    () => RETRY_MS,
    now,
  );
  return async () => {
    if (key === undefined) await attempt();
    return key;
  };
}

const late = () => new Error("the HMAC key for user ids was not read within the time budget");

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
  return withTimeout(ms, userIdKey, late).catch(() => undefined);
}

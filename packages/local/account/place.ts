import { rmSync } from "node:fs";
import { join } from "node:path";
import { LocalError } from "@relevance/processes/error.ts";
import { readIfThere, replaceFile } from "@relevance/processes/files.ts";
import { patient, waitFor } from "@relevance/processes/wait.ts";
import * as v from "valibot";

/** The record that the local account's process writes when it is ready. */
const Account = v.object({
  pid: v.number(),
  /** Distinguishes this account from a later one, and from another program at its address. */
  id: v.string(),
  /** The value for AWS_ENDPOINT_URL. */
  endpoint: v.string(),
  /** URL under which deployed APIs are served, each at `/<id>.<region>/<stage>`. */
  apis: v.string(),
  opensearch: v.object({ url: v.string(), version: v.string() }),
});
export type Account = v.InferOutput<typeof Account>;

/** The files of a local account. */
export interface AccountFiles {
  /** All data of the account; deleted with it. */
  folder: string;
  /** Output of its process. Kept if the process ends by itself, because it shows the reason. */
  log: string;
  /** Exists while the process runs. */
  lock: string;
  /** Written when the process is ready. */
  record: string;
}

/** Returns the files of the local account below a folder such as `.local`. */
export function placeIn(dir: string): AccountFiles {
  const folder = join(dir, "deployment");
  return {
    folder,
    log: join(dir, "deployment.log"),
    lock: join(folder, "account.pid"),
    record: join(folder, "account.json"),
  };
}

/** Unsigned path at which the account's process returns its identity. */
export const IDENTITY_PATH = "/_account";

/** Timeout (ms) of the identity request. The process may share the machine with Terraform. */
const ANSWER_MS = 20_000;

/** Writes the record of a local account. */
export function writeAccount({ record }: AccountFiles, account: Account): void {
  replaceFile(record, `${JSON.stringify(account, undefined, 2)}\n`, 0o600);
}

/** Returns the recorded account, whether it is running or not. */
export function recordedAccount({ record }: AccountFiles): Account | undefined {
  const text = readIfThere(record);
  return text === undefined ? undefined : v.parse(Account, JSON.parse(text));
}

/**
 * Returns whether the process of an account is running. Throws LocalError if a program listens at its address but does
 * not answer, because only a process that has certainly ended may be discarded.
 */
export async function isRunning({ endpoint, id, pid }: Account): Promise<boolean> {
  try {
    const answer = await fetch(`${endpoint}${IDENTITY_PATH}`, { signal: AbortSignal.timeout(patient(ANSWER_MS)) });
    return answer.ok && (await answer.text()).includes(id);
  } catch (error) {
    if ((error as { cause?: NodeJS.ErrnoException }).cause?.code === "ECONNREFUSED") return false;
    throw new LocalError(
      `the local account (process ${pid}, ${endpoint}) does not answer: run the command again, or end it with \`kill ${pid}\``,
      { cause: error },
    );
  }
}

/**
 * Ends the account's process if it is running, and deletes the account's data. Returns the PID of the process it ended.
 */
export async function endAccount(place: AccountFiles): Promise<number | undefined> {
  const account = recordedAccount(place);
  const running = account !== undefined && (await isRunning(account));
  if (running) {
    process.kill(account.pid, "SIGTERM");
    // Removing the lock is the process's last action. Its PID may stay in use where zombies are not reaped.
    const ended = async () => readIfThere(place.lock) === undefined;
    await waitFor(ended, { what: `process ${account.pid} of the local account to end`, timeoutMs: 60_000 });
  }
  discard(place);
  rmSync(place.log, { force: true });
  return running ? account.pid : undefined;
}

/** Deletes an account's data. Retries, because servers that are still ending may write. */
export function discard({ folder }: AccountFiles): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}

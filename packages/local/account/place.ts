import { rmSync } from "node:fs";
import { join } from "node:path";
import { LocalError } from "@relevance/processes/error.ts";
import { readIfThere, replaceFile } from "@relevance/processes/files.ts";
import { patient, waitFor } from "@relevance/processes/wait.ts";
import * as v from "valibot";

/** What the process of the local account writes when it is ready. */
const Account = v.object({
  pid: v.number(),
  /** Tells this account from a later one, and from another program at its address. */
  id: v.string(),
  /** The value for AWS_ENDPOINT_URL. */
  endpoint: v.string(),
  /** Where deployed APIs are served, each under `/<id>.<region>/<stage>`. */
  apis: v.string(),
  opensearch: v.object({ url: v.string(), version: v.string() }),
});
export type Account = v.InferOutput<typeof Account>;

/** The files of a local account. */
export interface AccountFiles {
  /** All that the account has; deleted with it. */
  folder: string;
  /** Output of its process; kept if it ends by itself, because it says why. */
  log: string;
  /** Exists while the process runs. */
  lock: string;
  /** Exists since the process was ready. */
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

/** The path at which the account's process says who it is, unsigned. */
export const IDENTITY_PATH = "/_account";

/** How long the process may take to say who it is. It may share the machine with Terraform. */
const ANSWER_MS = 20_000;

/** Writes the record of a local account. */
export function writeAccount({ record }: AccountFiles, account: Account): void {
  replaceFile(record, `${JSON.stringify(account, undefined, 2)}\n`, 0o600);
}

/** Returns the recorded account, whether it runs or not. */
export function recordedAccount({ record }: AccountFiles): Account | undefined {
  const text = readIfThere(record);
  return text === undefined ? undefined : v.parse(Account, JSON.parse(text));
}

/**
 * Returns whether the process of an account runs. Throws LocalError if something listens there and does not answer:
 * only what is surely gone may be discarded.
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

/** Ends the account's process, if it runs, and deletes what the account had. Returns the id of the process it ended. */
export async function endAccount(place: AccountFiles): Promise<number | undefined> {
  const account = recordedAccount(place);
  const running = account !== undefined && (await isRunning(account));
  if (running) {
    process.kill(account.pid, "SIGTERM");
    // The last that it does. Its id may stay taken, where nobody collects ended processes.
    const ended = async () => readIfThere(place.lock) === undefined;
    await waitFor(ended, { what: `process ${account.pid} of the local account to end`, timeoutMs: 60_000 });
  }
  discard(place);
  rmSync(place.log, { force: true });
  return running ? account.pid : undefined;
}

/** Deletes what an account had. Servers that are still ending may write at the same time. */
export function discard({ folder }: AccountFiles): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}

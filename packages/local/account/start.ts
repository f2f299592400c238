import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { LocalError } from "@relevance/processes/error.ts";
import { type Account, type AccountFiles, recordedAccount } from "./place.ts";

const MAIN = fileURLToPath(new URL("./main.ts", import.meta.url));

/** A message from the account's process to the command that started it. */
export type StartMessage = { say: string } | { failed: string } | { ready: true };

/**
 * Starts the local account as a separate process that outlives this one, and waits until it is ready. If this process
 * ends earlier, the other one ends too. Throws LocalError with advice.
 */
export async function startAccount(
  place: AccountFiles,
  dir: string,
  { env, say }: { env: NodeJS.ProcessEnv; say: (line: string) => void },
): Promise<Account> {
  mkdirSync(dir, { recursive: true });
  const log = openSync(place.log, "w", 0o600);
  // Detached: Ctrl-C in this terminal does not reach it.
  const child = spawn(process.execPath, [MAIN, dir], { detached: true, stdio: ["ignore", log, log, "ipc"], env });
  closeSync(log);
  try {
    await new Promise<void>((resolve, reject) => {
      const refuse = (why: string) => reject(new LocalError(why));
      child.once("error", (error) => refuse(`the local account cannot be started: ${error.message}`));
      child.once("exit", (code, signal) =>
        refuse(`the local account ended while it started (${signal ?? `code ${code}`}); its log is ${place.log}`),
      );
      child.on("message", (message: StartMessage) => {
        if ("say" in message) say(message.say);
        else if ("failed" in message) refuse(message.failed);
        else resolve();
      });
    });
  } finally {
    if (child.connected) child.disconnect();
    child.unref();
  }
  const account = recordedAccount(place);
  if (!account) throw new LocalError(`the local account has not written ${place.record}; its log is ${place.log}`);
  return account;
}

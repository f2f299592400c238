/** The process of the local account. Its argument is the folder for all its files, such as `.local`. */

import { LocalError } from "@relevance/processes/error.ts";
import { exitWhenWritten } from "@relevance/processes/exit.ts";
import { createScope } from "../dev/scope.ts";
import { runAccount } from "./run.ts";
import type { StartMessage } from "./start.ts";

const [dir = ""] = process.argv.slice(2);
const scope = createScope();
let ready = false;

function tell(message: StartMessage): Promise<void> {
  return new Promise((sent) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => sent());
    else sent();
  });
}

async function end(code: number): Promise<void> {
  await scope.close();
  await exitWhenWritten(code);
}

process.once("SIGTERM", () => void end(0));
process.once("SIGINT", () => void end(0));
// The command that started this process was interrupted.
process.once("disconnect", () => ready || void end(1));

try {
  const account = await runAccount(dir, process.env, {
    scope,
    say: (say) => void tell({ say }),
    isReady: () => ready,
  });
  if (process.connected) {
    ready = true;
    await tell({ ready: true });
  }
  const death = await account.died;
  console.error(death.message);
  await end(1);
} catch (error) {
  console.error(error);
  await tell({ failed: error instanceof LocalError ? error.message : `the local account failed: ${String(error)}` });
  await end(1);
}

import { readFileSync } from "node:fs";
import { LocalError } from "@relevance/processes/error.ts";
import { readIfThere } from "@relevance/processes/files.ts";
import { isOtherAlive } from "@relevance/processes/scratch.ts";
import { waitFor } from "@relevance/processes/wait.ts";
import type { DevOptions } from "./options.ts";
import { type DevState, lockFile, stateFile } from "./state-file.ts";
import { configurationFiles, versionOf } from "./watch-configuration.ts";

/** A first start downloads servers and models. */
const READY_MS = 900_000;

/** A stack that another process runs in this folder. */
export interface RunningStack {
  state: DevState;
  /** Resolves with the reason when that process has ended. */
  died: Promise<LocalError>;
  stop(): void;
}

/**
 * Returns the stack that runs in a folder, once it uses the configuration as it is now. Undefined if none runs. Throws
 * LocalError with the reason if it cannot use it.
 */
export async function runningStack({ dir, conf }: Pick<DevOptions, "dir" | "conf">): Promise<RunningStack | undefined> {
  const pid = Number(readIfThere(lockFile(dir))?.split(" ")[0]);
  if (!isOtherAlive(pid)) return undefined;
  const died = Promise.withResolvers<LocalError>();
  const timer = setInterval(() => {
    if (!isOtherAlive(pid)) died.resolve(new LocalError(`the stack that ran here (process ${pid}) has ended`));
  }, 500);
  const stop = () => clearInterval(timer);
  try {
    const state = await waitFor(async () => usingState(dir, conf), {
      what: `the stack of process ${pid} to use ${conf}`,
      timeoutMs: READY_MS,
      abort: died.promise.then((error) => Promise.reject(error)),
    });
    const { folder, problem } = state.configuration;
    if (folder !== conf)
      throw new LocalError(`the stack that runs here uses ${folder}: stop it, or use --conf ${folder}`);
    if (problem !== undefined) throw new LocalError(`the stack that runs here does not use ${conf}: ${problem}`);
    return { state, died: died.promise, stop };
  } catch (error) {
    stop();
    throw error;
  }
}

function usingState(dir: string, conf: string): DevState | false {
  const state: DevState = JSON.parse(readFileSync(stateFile(dir), "utf8"));
  const { folder, version } = state.configuration;
  return (folder !== conf || version === versionOf(configurationFiles(conf))) && state;
}

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LocalError } from "@relevance/processes/error.ts";
import { logTail, startServer } from "@relevance/processes/server.ts";
import { patient, waitFor } from "@relevance/processes/wait.ts";

const LAUNCHER = fileURLToPath(new URL("../launcher.py", import.meta.url));
/** Exit code for a repair that does not match the installed moto. */
const REPAIR_DOES_NOT_FIT = "code 3";

/** Quotas of the account. Those that are left out have a common value. */
export interface Quotas {
  /** Functions that may run at the same time. */
  concurrency?: number;
  /** Instances that endpoints may have, by type. */
  instances?: Readonly<Record<string, number>>;
  /** Other quotas, by their names in Service Quotas. */
  named?: Readonly<Record<string, number>>;
}

/** How moto differs from AWS and from its defaults. */
export interface MotoSettings {
  /** The Node.js that runs functions. Default: the current one. */
  node?: string;
  /** Names of repairs to skip, to see how moto behaves without them. */
  withoutRepairs?: readonly string[];
  /** Upper limit for the Wait states of state machines, in seconds. Default: no limit. */
  longestWaitSeconds?: number;
  /** Upper limit for function timeouts, in seconds by function name. */
  shortCalls?: Readonly<Record<string, number>>;
  /** The account's quotas where they differ from the defaults. */
  quotas?: Quotas;
}

export interface MotoOptions extends MotoSettings {
  /** A Python interpreter with moto, as returned by `installCloud`. */
  python: string;
  /** Empty folder for the code of functions, the log and the file in which moto reports its port. */
  workDir: string;
  /** The AWS endpoint for functions. */
  frontUrl: string;
}

export interface Moto {
  readonly url: string;
  readonly pid: number;
  readonly logFile: string;
  /** Resolves with the reason if moto exits without having been stopped. */
  readonly died: Promise<LocalError>;
  stop(): Promise<void>;
}

/**
 * Starts moto with our repairs on a free port and waits until it serves. moto and its functions exit with this process.
 * Throws LocalError, with the end of the log, if moto does not start or a repair does not fit.
 */
export async function startMoto(options: MotoOptions): Promise<Moto> {
  const { python, workDir, node = process.execPath, frontUrl, withoutRepairs = [], longestWaitSeconds = "" } = options;
  const readyFile = join(workDir, "moto.json");
  const logFile = join(workDir, "moto.log");
  const server = await startServer({
    command: python,
    // Ignores the user's own packages and PYTHON… variables.
    args: ["-E", "-s", LAUNCHER],
    // Does not inherit the environment: a proxy or an AWS profile of the user would interfere with moto's own requests.
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      TMPDIR: process.env.TMPDIR,
      CLOUD_NODE: node,
      CLOUD_FRONT_URL: frontUrl,
      CLOUD_WORK_DIR: workDir,
      CLOUD_READY_FILE: readyFile,
      CLOUD_WITHOUT_REPAIRS: withoutRepairs.join(","),
      CLOUD_SHORT_CALLS: JSON.stringify(options.shortCalls ?? {}),
      CLOUD_QUOTAS: JSON.stringify(options.quotas ?? {}),
      CLOUD_INIT_SECONDS: String(patient(30)),
      CLOUD_LONGEST_WAIT: String(longestWaitSeconds),
    },
    logFile,
    graceMs: 2000,
  });

  const died = server.diedOf((how) => endedEarly(how, logFile));
  const stop = async () => {
    await server.stop();
  };
  const abort = died.then((error) => Promise.reject(error));
  abort.catch(() => {});
  try {
    const port = await waitFor(async () => ready(readyFile), {
      what: "moto to serve",
      timeoutMs: 60_000,
      intervalMs: 25,
      abort,
      context: () => logTail(logFile),
    });
    return { url: `http://127.0.0.1:${port}`, pid: server.pid, logFile, died, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Reads the file in which the launcher reports that it is ready. The launcher renames it into place when complete. */
function ready(file: string): number | undefined {
  return existsSync(file) ? Number(readFileSync(file, "utf8")) : undefined;
}

function endedEarly(how: string, logFile: string): LocalError {
  const log = logTail(logFile);
  if (how === REPAIR_DOES_NOT_FIT) return new LocalError(`the local AWS endpoint does not fit its moto: ${log}`);
  return new LocalError(`moto, the local AWS endpoint, ended with ${how}; ${logFile} ends with:\n${log}`);
}

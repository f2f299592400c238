import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LocalError } from "../process/error.ts";
import { logTail } from "../process/log-tail.ts";
import { startServer } from "../process/server.ts";
import { waitFor } from "../process/wait.ts";

const LAUNCHER = fileURLToPath(new URL("./server/launcher.py", import.meta.url));
/** server/launcher.py ends with it when a repair does not fit the installed moto. */
const REPAIR_DOES_NOT_FIT = 3;

export interface MotoOptions {
  /** An interpreter that has moto: what `installCloud` gives. */
  python: string;
  /** Empty folder for the code of functions, the log and what moto tells about itself. */
  workDir: string;
  /** The Node.js that runs functions. */
  node: string;
  /** Where functions find AWS. */
  frontUrl: string;
  /** Repairs to leave out: to see what moto does by itself. */
  withoutRepairs?: readonly string[];
  /** Seconds that a Wait state of a state machine lasts at most. Default: as long as it says. */
  longestWaitSeconds?: number;
  /** Seconds that functions are given at most, by name, whatever their timeouts. */
  shortCalls?: Readonly<Record<string, number>>;
  /** Default 60 s. */
  timeoutMs?: number;
}

export interface Moto {
  readonly url: string;
  readonly pid: number;
  readonly logFile: string;
  /** The names of the repairs in force. */
  readonly repairs: readonly string[];
  /** Resolves, with the reason, when moto ends without having been stopped. */
  readonly died: Promise<LocalError>;
  stop(): Promise<void>;
}

/**
 * Starts moto with our repairs on a free port and waits until it serves. It ends with this process, and so do the
 * functions that it runs. Throws LocalError, with the end of its log, when it does not start or a repair does not fit.
 */
export async function startMoto(options: MotoOptions): Promise<Moto> {
  const {
    python,
    workDir,
    node,
    frontUrl,
    withoutRepairs = [],
    longestWaitSeconds,
    shortCalls = {},
    timeoutMs = 60_000,
  } = options;
  const readyFile = join(workDir, "moto.json");
  const logFile = join(workDir, "moto.log");
  const server = await startServer({
    command: python,
    // Without the user's own packages and PYTHON… variables.
    args: ["-E", "-s", LAUNCHER],
    // Nothing of ours: a proxy or a profile of the user would get between moto's parts.
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      TMPDIR: process.env.TMPDIR,
      CLOUD_NODE: node,
      CLOUD_FRONT_URL: frontUrl,
      CLOUD_WORK_DIR: workDir,
      CLOUD_READY_FILE: readyFile,
      CLOUD_WITHOUT_REPAIRS: withoutRepairs.join(","),
      CLOUD_SHORT_CALLS: JSON.stringify(shortCalls),
      CLOUD_LONGEST_WAIT: longestWaitSeconds === undefined ? "" : String(longestWaitSeconds),
    },
    logFile,
    graceMs: 2000,
  });

  let stopping = false;
  const died = new Promise<LocalError>((resolve) => {
    server.exited.then(({ code, signal }) => {
      if (!stopping) resolve(endedEarly(code, signal, logFile));
    });
  });
  const stop = async () => {
    stopping = true;
    await server.stop();
  };

  const abort = died.then((error) => Promise.reject(error));
  abort.catch(() => {});
  try {
    const { port, repairs } = await waitFor(async () => ready(readyFile), {
      what: "moto to serve",
      timeoutMs,
      intervalMs: 25,
      abort,
      context: () => logTail(logFile),
    });
    return { url: `http://127.0.0.1:${port}`, pid: server.pid, logFile, repairs, died, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The launcher moves the file to its place when it is whole. */
function ready(file: string): { port: number; repairs: string[] } | undefined {
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

function endedEarly(code: number | null, signal: NodeJS.Signals | null, logFile: string): LocalError {
  const log = logTail(logFile);
  if (code === REPAIR_DOES_NOT_FIT) return new LocalError(`the local AWS endpoint does not fit its moto: ${log}`);
  return new LocalError(
    `moto, the local AWS endpoint, ended with ${signal ?? `code ${code}`}; ${logFile} ends with:\n${log}`,
  );
}

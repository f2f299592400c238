import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, fstatSync, mkdirSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { LocalError } from "./error.ts";

const SUPERVISOR = fileURLToPath(new URL("./supervisor/main.ts", import.meta.url));

interface ServerOptions {
  command: string;
  args?: readonly string[];
  cwd?: string;
  /** The complete environment of the server. Default: that of this process. */
  env?: NodeJS.ProcessEnv;
  /** Standard output and standard error are appended to this file. Its folder is created. */
  logFile: string;
  /** Time between SIGTERM and SIGKILL. Default: 10 s. */
  graceMs?: number;
}

export interface ServerProcess {
  readonly pid: number;
  readonly logFile: string;
  /** Resolves when the server has exited for any reason. Awaiting it does not keep this process alive. */
  readonly exited: Promise<Exit>;
  /** Sends SIGTERM to the server's process group, and SIGKILL after the grace period. Safe to call repeatedly. */
  stop(): Promise<Exit>;
  /** Resolves with the error that `reason` makes if the server exits without having been stopped. */
  diedOf(reason: (how: string) => LocalError): Promise<LocalError>;
}

/**
 * Starts a server that exits with this process, however this process ends: a supervisor process watches for that. The
 * server does not keep this process alive. A server that moves to another process group (a daemon) is not stopped.
 * Throws LocalError if the command cannot be started.
 */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const { command, args = [], cwd, env, logFile, graceMs = 10_000 } = options;
  mkdirSync(dirname(logFile), { recursive: true });
  const log = openSync(logFile, "a");
  let supervisor: ChildProcess;
  try {
    supervisor = spawn(process.execPath, [SUPERVISOR, String(graceMs), command, ...args], {
      // Not in the terminal's foreground group, so Ctrl-C does not reach it. It reacts to the IPC channel only.
      detached: true,
      stdio: ["ignore", log, log, "ipc"],
      ...(cwd === undefined ? {} : { cwd }),
      ...(env === undefined ? {} : { env }),
    });
  } finally {
    closeSync(log);
  }

  let pid: number | undefined;
  let end: Exit | undefined;
  supervisor.on("message", (message: SupervisorMessage) => {
    if (message.type === "ended") end = { code: message.code, signal: message.signal };
  });
  const supervisorExit = new Promise<Exit>((resolve) => {
    supervisor.once("exit", (code, signal) => resolve({ code, signal }));
  });
  // Its last message may arrive after it has exited, but always before the channel closes.
  const channelClosed = new Promise<void>((resolve) => supervisor.once("disconnect", resolve));
  const exited = Promise.all([supervisorExit, channelClosed]).then(([own]) => {
    // A killed supervisor cannot stop its server, so this process does.
    if (end === undefined && pid !== undefined) killGroup(pid);
    return end ?? own;
  });

  pid = await new Promise<number>((resolve, reject) => {
    const refuse = (why: string) => reject(new LocalError(`could not start ${command}: ${why}; its log is ${logFile}`));
    supervisor.on("message", (message: SupervisorMessage) => {
      if (message.type === "started") resolve(message.pid);
      if (message.type === "failed") refuse(message.message);
    });
    supervisor.once("error", (error) => refuse(error.message));
    exited.then(({ code, signal }) => refuse(`the supervisor ended at once (${signal ?? `code ${code}`})`));
  });
  supervisor.unref();
  supervisor.channel?.unref();

  let stopping = false;
  return {
    pid,
    logFile,
    exited,
    diedOf: (reason) =>
      new Promise((resolve) => {
        exited.then(({ code, signal }) => stopping || resolve(reason(signal ?? `code ${code}`)));
      }),
    stop() {
      stopping = true;
      if (supervisor.connected) {
        // Referenced again, so that this process does not exit while a caller awaits the end.
        supervisor.ref();
        supervisor.channel?.ref();
        supervisor.send("stop", () => {});
      }
      return exited;
    },
  };
}

function killGroup(pid: number) {
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

const MAX_BYTES = 64 * 1024;

/** Returns the last lines of a log, at most 64 KiB. Empty if the file does not exist. */
export function logTail(file: string, lines = 20): string {
  let fd: number;
  try {
    fd = openSync(file, "r");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw error;
  }
  try {
    const { size } = fstatSync(fd);
    const buffer = Buffer.alloc(Math.min(size, MAX_BYTES));
    const read = readSync(fd, buffer, 0, buffer.length, size - buffer.length);
    return buffer.toString("utf8", 0, read).trimEnd().split("\n").slice(-lines).join("\n");
  } finally {
    closeSync(fd);
  }
}

/** Exit code or signal of a server. */
interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** A message from the supervisor to the program that started it. */
export type SupervisorMessage =
  | { type: "started"; pid: number }
  | { type: "failed"; message: string }
  | ({ type: "ended" } & Exit);

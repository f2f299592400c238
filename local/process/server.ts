import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { LocalError } from "./error.ts";
import type { Exit, SupervisorMessage } from "./protocol.ts";

const SUPERVISOR = fileURLToPath(new URL("./supervisor/main.ts", import.meta.url));

export interface ServerOptions {
  command: string;
  args?: readonly string[];
  cwd?: string;
  /** The whole environment of the server; default: ours. */
  env?: NodeJS.ProcessEnv;
  /** Gets standard output and standard error, appended; its folder is made. */
  logFile: string;
  /** Between SIGTERM and SIGKILL; default 10 s. */
  graceMs?: number;
}

export interface ServerProcess {
  readonly pid: number;
  readonly logFile: string;
  /** Resolves when the server has ended, for whatever reason. Waiting for it alone does not keep this process alive. */
  readonly exited: Promise<Exit>;
  /** SIGTERM to the server and what it started in its group, SIGKILL after the grace time. Repeatable. */
  stop(): Promise<Exit>;
}

/**
 * Starts a server that ends with this process, however this process ends: a supervisor between the two notices.
 * It does not keep this process alive. Servers that move themselves to another process group (daemons) escape it.
 * Throws LocalError when the command cannot be started.
 */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const { command, args = [], cwd, env, logFile, graceMs = 10_000 } = options;
  mkdirSync(dirname(logFile), { recursive: true });
  const log = openSync(logFile, "a");
  let supervisor: ChildProcess;
  try {
    supervisor = spawn(process.execPath, [SUPERVISOR, String(graceMs), command, ...args], {
      // Out of the terminal's foreground group: only the closing channel, not a Ctrl-C, makes it act.
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
  // Its last message may still be on the way when it exits; the channel closes after it.
  const channelClosed = new Promise<void>((resolve) => supervisor.once("disconnect", resolve));
  const exited = Promise.all([supervisorExit, channelClosed]).then(([own]) => {
    // A supervisor that was killed cannot end its server any more: do it here.
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
    supervisor.once("exit", (code, signal) => refuse(`the supervisor ended at once (${signal ?? `code ${code}`})`));
  });
  supervisor.unref();
  supervisor.channel?.unref();

  return {
    pid,
    logFile,
    exited,
    stop() {
      if (supervisor.connected) {
        // Referenced again: a caller that awaits the end must not run out of things to wait for.
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

/**
 * Supervises a server on behalf of the program that starts it, and holds one end of the program's IPC channel. When a
 * message arrives, or the channel closes because the program died (even by SIGKILL), it sends SIGTERM to the server's
 * process group and, after the grace period, SIGKILL.
 *
 * Arguments: grace period in ms, command, arguments of the command. The server inherits standard output and error.
 */
import { spawn } from "node:child_process";
import type { SupervisorMessage } from "../server.ts";

const [graceMs = "", command = "", ...args] = process.argv.slice(2);

// A separate process group, so that the server's helpers end with it and Ctrl-C reaches only the program.
const server = spawn(command, args, { detached: true, stdio: ["ignore", "inherit", "inherit"] });

let stopping = false;
let kill: NodeJS.Timeout | undefined;

function report(message: SupervisorMessage, then: () => void = () => {}) {
  if (!process.connected) return then();
  process.send?.(message, undefined, undefined, then);
}

function signalGroup(signal: NodeJS.Signals) {
  if (server.pid === undefined) return;
  try {
    process.kill(-server.pid, signal);
  } catch (error) {
    // No process is left. macOS returns EPERM if only zombies are left.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ESRCH" && code !== "EPERM") throw error;
  }
}

function stop() {
  if (stopping) return;
  stopping = true;
  signalGroup("SIGTERM");
  kill = setTimeout(() => signalGroup("SIGKILL"), Number(graceMs));
}

process.on("message", stop);
process.on("disconnect", stop);
for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, stop);

server.on("error", (error) => report({ type: "failed", message: error.message }, () => process.exit(1)));
server.on("spawn", () => report({ type: "started", pid: server.pid ?? 0 }));
server.on("exit", (code, signal) => {
  clearTimeout(kill);
  signalGroup("SIGKILL");
  report({ type: "ended", code, signal }, () => process.exit(0));
});

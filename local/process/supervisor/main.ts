/**
 * Stands between a program and a server that the program starts. It holds one end of the program's IPC channel: when
 * a message arrives there, or it closes because the program died in any way (SIGKILL included), the server's process
 * group gets SIGTERM and, after the grace time, SIGKILL.
 *
 * Arguments: grace time in ms, command, arguments of the command. Output goes where our own goes.
 */
import { spawn } from "node:child_process";
import type { SupervisorMessage } from "../protocol.ts";

const [graceMs = "", command = "", ...args] = process.argv.slice(2);

// A group of its own, so that the server's helpers end with it and a Ctrl-C in the terminal reaches the program alone.
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
    // Nobody left. macOS says EPERM when only zombies are.
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

import { spawn } from "node:child_process";
import type { FileEnd } from "./outcome.ts";

export interface RunFileOptions {
  root: string;
  env: Readonly<Record<string, string>>;
  timeLimitMs: number;
  /** Ends the file at once. */
  signal: AbortSignal;
}

/** Runs one test file as a process of its own and gives how it ended. What it leaves running in its group is ended. */
export function runFile(file: string, { root, env, timeLimitMs, signal }: RunFileOptions): Promise<FileEnd> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [file], {
      cwd: root,
      env: { ...process.env, ...env },
      // A group of its own, so that all of it can be ended.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));

    const endGroup = () => {
      if (child.pid === undefined) return;
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code !== "ESRCH" && code !== "EPERM") throw error;
      }
    };
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      endGroup();
    }, timeLimitMs);
    if (signal.aborted) endGroup();
    signal.addEventListener("abort", endGroup, { once: true });

    child.once("error", reject);
    child.once("exit", endGroup);
    child.once("close", (code, killedBy) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", endGroup);
      resolve({ output: Buffer.concat(chunks).toString("utf8"), code, signal: killedBy, timedOut });
    });
  });
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** Starts the stub of the cluster in a process of its own. */
export async function startStub(): Promise<{ url: string; stop(): Promise<void> }> {
  const file = join(import.meta.dirname, "stub-cluster.ts");
  const child = spawn(process.execPath, [file], { stdio: ["pipe", "pipe", "inherit"] });
  const [url] = (await once(createInterface(child.stdout), "line")) as [string];
  return {
    url,
    async stop() {
      const ended = once(child, "exit");
      child.stdin.end();
      await ended;
    },
  };
}

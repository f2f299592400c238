import { Worker } from "node:worker_threads";
import { Failure } from "@relevance/lib/platform/failure.ts";
import { ConsoleError } from "./problem.ts";
import type { RunMessage } from "./run-thread.ts";
import type { RunWork, WorkedRun } from "./run-work.ts";

/** How a run is followed and stopped. */
export interface RunControl {
  signal: AbortSignal;
  /** Called with each line that the run says. */
  onNote(line: string): void;
}

/**
 * Works on a run in a thread of its own: computing a tuning takes seconds, in which the console answers other calls. Throws
 * Failure, and ConsoleError if it was stopped.
 */
export function runInThread(work: RunWork, { signal, onNote }: RunControl): Promise<WorkedRun> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL("./run-thread.ts", import.meta.url), { workerData: work });
    const stop = () => void thread.terminate();
    signal.addEventListener("abort", stop, { once: true });
    thread.on("message", (message: RunMessage) => {
      if ("note" in message) onNote(message.note);
      else if ("done" in message) resolve(message.done);
      else reject(new Failure(message.failed));
    });
    thread.on("error", reject);
    thread.on("exit", () => {
      signal.removeEventListener("abort", stop);
      // Without effect after the thread has told its end.
      reject(new ConsoleError(409, "stopped", "Stopped. Nothing was stored."));
    });
  });
}

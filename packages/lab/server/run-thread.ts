import { parentPort, workerData } from "node:worker_threads";
import { explainedError } from "./problem.ts";
import { workOnRun } from "./run-work.ts";

/** Message from a run's worker thread. */
export type RunMessage =
  | { note: string }
  | { done: Awaited<ReturnType<typeof workOnRun>> }
  /** An error that people can mend. */
  | { failed: string };

const tell = (message: RunMessage) => parentPort?.postMessage(message);

try {
  tell({ done: await workOnRun(workerData, (note) => tell({ note })) });
} catch (error) {
  const explained = explainedError(error);
  if (!explained) throw error;
  tell({ failed: explained.message });
}

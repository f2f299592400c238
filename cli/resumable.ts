import type { Terminal } from "./terminal.ts";

/**
 * Runs work that the same command resumes after Ctrl-C, and says so when it is interrupted. While Terraform runs, its own
 * listener reports the interruption.
 */
export async function resumable<T>(terminal: Pick<Terminal, "note">, work: () => Promise<T>): Promise<T> {
  const interrupt = () => {
    // Terraform is running; its own listener forwards the signal.
    if (process.listenerCount("SIGINT") > 1) return;
    terminal.note("\nInterrupted: run the command again to resume.");
    process.exit(1);
  };
  process.on("SIGINT", interrupt);
  try {
    return await work();
  } finally {
    process.off("SIGINT", interrupt);
  }
}

import type { Terminal } from "../terminal.ts";

/**
 * Work that goes on when its command is run again. A run of Terraform tells of an interruption itself; between two of them,
 * while the account is read or Personalize is waited for, this does.
 */
export async function resumable<T>(terminal: Pick<Terminal, "note">, work: () => Promise<T>): Promise<T> {
  const interrupt = () => {
    // Terraform is running, and its own listener passes the signal on.
    if (process.listenerCount("SIGINT") > 1) return;
    terminal.note("\nInterrupted: run the command again to go on.");
    process.exit(1);
  };
  process.on("SIGINT", interrupt);
  try {
    return await work();
  } finally {
    process.off("SIGINT", interrupt);
  }
}

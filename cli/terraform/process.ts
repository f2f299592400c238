import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Failure } from "../errors.ts";
import type { Terraform } from "./binary.ts";

export interface RunOptions {
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Called with each line of standard output. */
  onLine?: (line: string) => void;
  /** Called for each interruption; `first` is true if it was forwarded to Terraform. */
  onInterrupt: (first: boolean) => void;
}

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** The user interrupted Terraform, which then stopped cleanly. */
export class Interrupted extends Failure {
  override name = "Interrupted";
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs Terraform until it exits. Forwards only the first interruption (Ctrl-C or a termination signal): Terraform then
 * finishes its running calls and writes its state. A second signal would prevent that. Throws Interrupted afterwards.
 */
export async function runTerraform(terraform: Terraform, args: readonly string[], options: RunOptions): Promise<Ended> {
  // Runs in its own process group. Otherwise the terminal would also send it Ctrl-C, and the forwarded signal would be
  // the second one.
  const child = spawn(terraform.path, args, {
    cwd: options.cwd,
    env: options.env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let interrupted = false;
  const interrupt = () => {
    options.onInterrupt(!interrupted);
    if (!interrupted) child.kill("SIGINT");
    interrupted = true;
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  try {
    const lines: string[] = [];
    const stderr: Buffer[] = [];
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    const reader = createInterface({ input: child.stdout });
    reader.on("line", (line) => {
      lines.push(line);
      options.onLine?.(line);
    });
    const [[code, signal]] = (await Promise.all([once(child, "close"), once(reader, "close")])) as [
      [number | null, NodeJS.Signals | null],
      unknown,
    ];
    if (interrupted) {
      throw new Interrupted(
        "Interrupted. Completed changes are in Terraform's state: run the command again to resume.",
      );
    }
    if (code === null) throw new Failure(`${terraform.path} was stopped by ${signal}: run the command again to resume`);
    return { code, stdout: lines.join("\n"), stderr: Buffer.concat(stderr).toString("utf8") };
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { Failure } from "../errors.ts";
import type { Terraform } from "./binary.ts";

export interface RunOptions {
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Gets each line of standard output as it comes. */
  onLine?: (line: string) => void;
  /** Told, once, that an interruption was passed on, and again for each further one. */
  onInterrupt: (first: boolean) => void;
}

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** The user has interrupted Terraform, and it has ended in good order. */
export class Interrupted extends Failure {
  override name = "Interrupted";
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs Terraform to its end. An interruption (Ctrl-C, or being told to end) goes on to it once: it then finishes the
 * calls it has begun and writes its state, which a second one would keep it from; so further ones are only told of.
 * Throws Interrupted after that.
 */
export async function runTerraform(terraform: Terraform, args: readonly string[], options: RunOptions): Promise<Ended> {
  // In a group of its own: a terminal would send Ctrl-C to it as well, and the one from here would be its second.
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
      throw new Interrupted("Interrupted. What was done is in Terraform's state: run the command again to go on.");
    }
    if (code === null) throw new Failure(`${terraform.path} was ended by ${signal}: run the command again to go on`);
    return { code, stdout: lines.join("\n"), stderr: Buffer.concat(stderr).toString("utf8") };
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { ConsoleError } from "./problem.ts";

/** How to run a command of `relevance`. */
export interface CommandOptions {
  /** The program and its first arguments. */
  command: readonly [string, ...string[]];
  /** The environment of the program. */
  env: Readonly<Record<string, string | undefined>>;
}

interface Output extends Pick<CommandOptions, "env"> {
  signal?: AbortSignal;
  /** Called with each line that the command says beside its result. */
  onNote?(line: string): void;
}

/** Runs a program. Returns what it prints. Throws ConsoleError with its own words if it fails. */
export async function output(
  command: readonly string[],
  { env, signal, onNote = () => undefined }: Output,
): Promise<string> {
  const [program = "", ...args] = command;
  const child = spawn(program, args, { env: { ...env }, stdio: ["ignore", "pipe", "pipe"] });
  const stop = () => child.kill();
  signal?.addEventListener("abort", stop);
  if (signal?.aborted) stop();
  createInterface(child.stderr).on("line", onNote);
  const [out, notes, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  if (signal?.aborted) throw new ConsoleError(409, "stopped", "Stopped. Nothing was stored.");
  if (code === 0) return out;
  throw new ConsoleError(422, "failed", notes.trim() || `the command ended with ${code}`);
}

import { createInterface } from "node:readline/promises";
import { Failure, UsageError } from "../lib/platform/failure.ts";
import { visible } from "../lib/platform/visible.ts";
import type { Terminal } from "./terminal.ts";

export interface Question {
  /** The question, such as "Apply this plan?". */
  text: string;
  /** The text to type; default "yes". */
  answer?: string;
  /** Whether `--yes` was given. */
  yes: boolean;
}

/** The user declined; nothing was changed. */
export class NotAgreed extends Failure {
  override name = "NotAgreed";
}

/** Asks for confirmation. Throws UsageError without a terminal, NotAgreed for any other answer. */
export async function confirm(
  terminal: Terminal,
  { text, answer = "yes", yes }: Question,
  input: NodeJS.ReadableStream & { isTTY?: boolean } = process.stdin,
): Promise<void> {
  if (yes) return;
  if (!input.isTTY) {
    throw new UsageError(`${text} There is no terminal to answer on: pass --yes to confirm`);
  }
  const reader = createInterface({ input, output: process.stderr });
  const aborted = new AbortController();
  // Ctrl-C, and Ctrl-D.
  for (const end of ["SIGINT", "close"]) reader.once(end, () => aborted.abort());
  try {
    const given = await reader.question(`${visible(text)} Type ${terminal.noteColors.bold(answer)}: `, {
      signal: aborted.signal,
    });
    if (given.trim() === answer) return;
  } catch (error) {
    if (!aborted.signal.aborted) throw error;
    terminal.note("");
  } finally {
    reader.close();
  }
  throw new NotAgreed("Nothing was changed.");
}

import { createInterface } from "node:readline/promises";
import { Failure, UsageError } from "../errors.ts";
import type { Terminal } from "../terminal.ts";

export interface Question {
  /** As in "Apply this plan?". */
  text: string;
  /** What has to be typed; default "yes". */
  answer?: string;
  /** `--yes` was given. */
  yes: boolean;
}

/** The user was asked and did not agree: nothing was changed. */
export class NotAgreed extends Failure {
  override name = "NotAgreed";
}

/** Asks before something is written. Throws UsageError where nobody can be asked, NotAgreed for any other answer. */
export async function confirm(
  terminal: Terminal,
  { text, answer = "yes", yes }: Question,
  input: NodeJS.ReadableStream & { isTTY?: boolean } = process.stdin,
): Promise<void> {
  if (yes) return;
  if (!input.isTTY) {
    throw new UsageError(`${text} There is no terminal to ask on: give --yes to go on without a question`);
  }
  const reader = createInterface({ input, output: process.stderr });
  const aborted = new AbortController();
  // Ctrl-C, and Ctrl-D.
  for (const end of ["SIGINT", "close"]) reader.once(end, () => aborted.abort());
  try {
    const given = await reader.question(`${text} Type ${terminal.noteColors.bold(answer)}: `, {
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

import { CommanderError } from "commander";
import { Failure, UsageError } from "../lib/platform/failure.ts";
import { fileProblem } from "../lib/platform/system-error.ts";
import type { ExitCode } from "./command.ts";
import { commandIn, GROUPS } from "./commands.ts";
import type { Terminal } from "./terminal.ts";

/** Prints an error for the user and returns the exit code. */
export async function reportError(error: unknown, args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const { red, bold, dim } = terminal.noteColors;
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    // Help is printed when no command is given.
    if (error.code === "commander.help") return 2;
    terminal.note(red(error.message.replace(/^error: /, "")));
    terminal.note(dim(`See: ${["relevance", ...namedIn(args), "--help"].join(" ")}`));
    return 2;
  }
  if (error instanceof UsageError) {
    terminal.note(red(error.message));
    return 2;
  }
  if (error instanceof Failure) {
    terminal.note(red(error.message));
    return 1;
  }
  const { ConfigurationError } = await import("../lib/settings/problem.ts");
  if (error instanceof ConfigurationError) {
    terminal.note(error.message);
    terminal.note(bold(red(countOf(error.problems))));
    return 2;
  }
  const refused = fileProblem(error);
  if (refused !== undefined) {
    terminal.note(red(refused.message));
    return refused.wrongPath ? 2 : 1;
  }
  terminal.note(error instanceof Error ? (error.stack ?? error.message) : String(error));
  terminal.note(red("This is a bug in relevance. Please report it with the lines above."));
  return 1;
}

/** Returns the words of `args` that name a command or a group of commands. */
function namedIn(args: readonly string[]): readonly string[] {
  const command = commandIn(args);
  if (command !== undefined) return [command];
  const [first = ""] = args;
  return Object.hasOwn(GROUPS, first) ? [first] : [];
}

function countOf(problems: readonly { file: string }[]): string {
  const files = new Set(problems.map(({ file }) => file)).size;
  const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? "" : "s"}`;
  return `${count(problems.length, "problem")} in ${count(files, "file")}`;
}

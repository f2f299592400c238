import { Command, type CommanderError } from "commander";
import { UsageError } from "../lib/platform/failure.ts";
import type { Context, ExitCode } from "./command.ts";
import { COMMANDS, commandIn, GROUPS, loadCommand } from "./commands.ts";
import { isLocal } from "./local-account.ts";

/**
 * Runs the command named in `args` and returns its exit code. Loads no other command. Throws CommanderError for wrong
 * usage, and after printing help.
 */
export async function runProgram(args: readonly string[], version: string, context: Context): Promise<ExitCode> {
  const given = (args[0] === "help" ? [...args.slice(1), "--help"] : [...args]).map(dashed);
  const chosen = commandIn(given);
  let exitCode: ExitCode = 0;
  let running: Command | undefined;

  const program = newCommand("relevance", context)
    .description(
      "Deploys and runs a search gateway for OpenSearch and a recommendation service over Amazon Personalize.",
    )
    .version(version, "--version", "print the version")
    .addHelpText("after", "\nrelevance <command> --help shows a command's options and an example.");
  const parents = new Map<string, Command>();
  for (const [words, summary] of Object.entries(COMMANDS)) {
    const [first = "", second] = words.split(" ");
    let parent = program;
    if (second !== undefined) {
      parent =
        parents.get(first) ??
        program
          .command(first)
          .description(GROUPS[first] ?? "")
          .helpCommand(false);
      parents.set(first, parent);
    }
    const command = parent.command(second ?? first).description(summary);
    if (words !== chosen) continue;
    const module = await loadCommand(words);
    module.define(command);
    running = command;
    command.action(async () => {
      const values = command.registeredArguments.map((argument, index) => [
        argument.name(),
        command.processedArgs[index],
      ]);
      if (command.opts().local === true && isLocal(context.env)) {
        throw new UsageError(
          "--local is the stack of `make dev`, and LOCAL=1 the local account: leave one of them out",
        );
      }
      exitCode = await module.run({ ...command.opts(), ...Object.fromEntries(values) }, context);
    });
  }
  await program.parseAsync(given, { from: "user" }).catch((error: CommanderError) => {
    if (error.code !== "commander.missingMandatoryOptionValue" || !running) throw error;
    // Parsed again without mandatory options, because the missing one is probably mistyped, which commander finds later.
    for (const option of running.options) option.makeOptionMandatory(false);
    running.action(() => {
      throw error;
    });
    return program.parseAsync(given, { from: "user" });
  });
  return exitCode;
}

/** Writes the name of an option with dashes: `--schema_file_path=x` is `--schema-file-path=x`. */
const dashed = (argument: string): string => argument.replace(/^--\w[\w-]*/, (name) => name.replaceAll("_", "-"));

/** Creates a command that throws instead of exiting and prints through the terminal. Sub-commands inherit both. */
function newCommand(name: string, { terminal }: Context): Command {
  return new Command(name)
    .helpCommand(false)
    .helpOption("-h, --help", "show this help")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.note(text.trimEnd()),
      // The error is also thrown, and printed where it is caught.
      outputError: () => undefined,
      getOutHasColors: () => terminal.colors.isColorSupported,
      getErrHasColors: () => terminal.noteColors.isColorSupported,
    });
}

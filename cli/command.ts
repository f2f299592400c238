import type { Command } from "commander";
import * as v from "valibot";
import { UsageError } from "./errors.ts";
import type { Terminal } from "./terminal.ts";

/** 0 done, 1 failed, 2 wrong use or configuration, 3 there are changes (`plan --detailed-exitcode`). */
export type ExitCode = 0 | 1 | 2 | 3;

/** What a command works with besides its options. */
export interface Context {
  terminal: Terminal;
  env: Readonly<Record<string, string | undefined>>;
}

/** One command, as a file of `commands/` writes it. */
export interface CommandDefinition<Entries extends v.ObjectEntries> {
  /** Shown by --help. */
  example: string;
  /** Whether it has `--json`. */
  json?: boolean;
  /** The configuration folder without `--conf`: `conf`. */
  conf?: string;
  /** Adds its own options; `--conf` and `--json` are there already. */
  define?: (command: Command) => void;
  /** Its own options as commander names them: `--schema_file_path` is `schema_file_path`, `--dry-run` is `dryRun`. */
  options: Entries;
  run: (options: OptionsOf<Entries> & CommonOptions, context: Context) => Promise<ExitCode>;
}

type OptionsOf<Entries extends v.ObjectEntries> = v.InferOutput<v.StrictObjectSchema<Entries, undefined>>;

/** Options of every command. */
export interface CommonOptions {
  /** The configuration folder. */
  conf: string;
  /** Whether to print JSON; false for commands without `--json`. */
  json: boolean;
}

/** One command, as `main.ts` uses it. */
export interface CommandModule {
  define(command: Command): void;
  run(options: unknown, context: Context): Promise<ExitCode>;
}

/** Makes a command of its definition: the same help, the same common options, options checked once. */
export function defineCommand<Entries extends v.ObjectEntries>(definition: CommandDefinition<Entries>): CommandModule {
  const common = { conf: v.pipe(v.string(), v.nonEmpty("needs a folder")), json: v.optional(v.boolean(), false) };
  const schema = v.strictObject({ ...definition.options, ...common });
  return {
    define(command) {
      command.option("--conf <dir>", "configuration folder", definition.conf ?? "conf");
      if (definition.json) command.option("--json", "print JSON");
      definition.define?.(command);
      command.addHelpText("after", `\nExample:\n  ${definition.example}`);
    },
    run(options, context) {
      const result = v.safeParse(schema, options);
      if (!result.success) {
        const problems = result.issues.map((issue) => `--${flagOf(v.getDotPath(issue) ?? "?")}: ${issue.message}`);
        throw new UsageError(problems.join("\n"));
      }
      return definition.run(result.output as OptionsOf<Entries> & CommonOptions, context);
    },
  };
}

/** `destroyInfra`, as commander names the option, is `destroy-infra` where it was typed. */
function flagOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

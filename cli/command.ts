import type { Command } from "commander";
import * as v from "valibot";
import { UsageError } from "../lib/platform/failure.ts";
import type { Terminal } from "./terminal.ts";

/** 0 done, 1 failed, 2 wrong use or configuration, 3 there are changes (`plan --detailed-exitcode`). */
export type ExitCode = 0 | 1 | 2 | 3;

/** What a command gets besides its options. */
export interface Context {
  terminal: Terminal;
  env: Readonly<Record<string, string | undefined>>;
}

/** A command, as a file in `commands/` defines it. */
interface CommandDefinition<Entries extends v.ObjectEntries> {
  /** An example for `--help`. */
  example: string;
  /** Whether the command has `--json`. */
  json?: boolean;
  /** Default of `--conf`; `conf` if absent. */
  conf?: string;
  /** Adds the command's own options and arguments; `--conf` and `--json` are already defined. */
  define?: (command: Command) => void;
  /**
   * Schemas of its own options and arguments, by commander's names: `--schema_file_path` is `schema_file_path`,
   * `--dry-run` is `dryRun`.
   */
  options: Entries;
  run: (options: OptionsOf<Entries> & CommonOptions, context: Context) => Promise<ExitCode>;
}

/** Options as a command gets them. */
export type OptionsOf<Entries extends v.ObjectEntries> = v.InferOutput<v.StrictObjectSchema<Entries, undefined>>;

/** Options of all commands. */
interface CommonOptions {
  /** The configuration folder. */
  conf: string;
  /** Whether to print JSON; always false for a command without `--json`. */
  json: boolean;
}

/** Returns the configuration folder: conf.local for the stack of `make dev`, unless `--conf` names one. */
export const confOf = ({ conf, local }: { conf: string; local: boolean }): string =>
  local && conf === "conf" ? "conf.local" : conf;

/** A command, as `main.ts` runs it. */
export interface CommandModule {
  define(command: Command): void;
  run(options: unknown, context: Context): Promise<ExitCode>;
}

/** Creates a command from its definition. Adds the common options and validates all options. */
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

/** Returns the flag that commander's option name stands for: `destroyInfra` is `destroy-infra`. */
function flagOf(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

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

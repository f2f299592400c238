import { type Command, Option } from "commander";
import * as v from "valibot";
import { UsageError } from "../lib/platform/failure.ts";
import { filled, flag, option, type Parameter } from "./options.ts";
import type { Terminal } from "./terminal.ts";

/** 0 done, 1 failed, 2 wrong use or configuration, 3 there are changes (`plan --detailed-exitcode`). */
export type ExitCode = 0 | 1 | 2 | 3;

/** Context that every command receives besides its options. */
export interface Context {
  terminal: Terminal;
  env: Readonly<Record<string, string | undefined>>;
}

/** A command, as a file in `commands/` defines it. */
interface CommandDefinition<Parameters extends ParameterList> {
  /** An example for `--help`. */
  example: string;
  /** Sentences for `--help` above the example: what its summary has no room for. */
  about?: string;
  /** Whether the command has `--json`. */
  json?: boolean;
  /** Default of `--conf`; `conf` if absent. */
  conf?: string;
  /**
   * Its own options and arguments, besides `--conf` and `--json`, in the order of `--help`. The keys are commander's names:
   * `--dry-run` is `dryRun`.
   */
  options: Parameters;
  /** Exit code 0 if it returns none. */
  run: (options: OptionsOf<Parameters> & CommonOptions, context: Context) => Promise<ExitCode | undefined>;
}

type ParameterList = Readonly<Record<string, Parameter<unknown>>>;

/** Options as a command gets them. */
export type OptionsOf<Parameters extends ParameterList> = {
  [Key in keyof Parameters]: v.InferOutput<Parameters[Key]["schema"]>;
};

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
export function defineCommand<Parameters extends ParameterList>(
  definition: CommandDefinition<Parameters>,
): CommandModule {
  const { options: own, json, about, conf = "conf" } = definition;
  const parameters: ParameterList = {
    conf: option("--conf <dir>", "configuration folder", filled("needs a folder"), { default: conf }),
    ...(json && { json: flag("--json", "print JSON") }),
    ...own,
  };
  const schemas = Object.entries(parameters).map(([name, { schema }]) => [name, schema] as const);
  return {
    define(command) {
      for (const { shown } of Object.values(parameters)) {
        if (shown instanceof Option) command.addOption(shown);
        else command.addArgument(shown);
      }
      command.addHelpText("after", `${about === undefined ? "" : `\n${about}\n`}\nExample:\n  ${definition.example}`);
    },
    async run(options, context) {
      const result = v.safeParse(v.strictObject(Object.fromEntries(schemas)), options);
      if (!result.success) {
        const problems = result.issues.map((issue) => `--${flagOf(v.getDotPath(issue) ?? "?")}: ${issue.message}`);
        throw new UsageError(problems.join("\n"));
      }
      const given = { json: false, ...result.output };
      return (await definition.run(given as unknown as OptionsOf<Parameters> & CommonOptions, context)) ?? 0;
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

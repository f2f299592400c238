import { type Command, Option } from "commander";
import type { Context } from "./command.ts";

/** Holds an API key, which the list of processes would show as an option. */
export const KEY_VARIABLE = "RELEVANCE_API_KEY";

/** Adds the option that the variable replaces. It still works, but help does not name it. */
export function defineKeyOption(command: Command): void {
  command.addOption(new Option("--api-key <key>", `use ${KEY_VARIABLE} instead`).hideHelp());
}

/** Returns the key of the option, with a warning, or that of the variable; undefined without both. */
export function givenKey(option: string | undefined, { env, terminal }: Pick<Context, "env" | "terminal">) {
  if (option === undefined) return env[KEY_VARIABLE];
  terminal.note(`The list of processes shows --api-key to every user of this machine: use ${KEY_VARIABLE} instead.`);
  return option;
}

import { type Command, Option } from "commander";
import * as v from "valibot";
import { UsageError } from "../lib/platform/failure.ts";
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

const Url = v.optional(v.pipe(v.string(), v.url("must be a URL")));

/** The options of a command that speaks to both APIs, as {@link defineApiOptions} declares them. */
export const API_OPTIONS = {
  url: Url,
  keyEnv: v.string(),
  recommendationUrl: Url,
  recommendationKeyEnv: v.optional(v.string()),
  local: v.optional(v.boolean(), false),
};

/** Adds the options that say where both APIs are, and which variables hold their keys. */
export function defineApiOptions(command: Command): Command {
  return command
    .option("--url <url>", "URL of the search gateway (default: the deployed one)")
    .option("--key-env <name>", "environment variable with its API key", KEY_VARIABLE)
    .option("--recommendation-url <url>", "URL of the recommendation service (default: the deployed one)")
    .option("--recommendation-key-env <name>", "environment variable with its API key (default: that of --key-env)")
    .option("--local", "use the stack of `make dev`");
}

/** Returns the API key in an environment variable. Throws UsageError if it has none. */
export function keyIn({ env }: Pick<Context, "env">, name: string): string {
  const key = env[name];
  if (key !== undefined && key !== "") return key;
  throw new UsageError(`There is no API key in the environment variable ${name}`);
}

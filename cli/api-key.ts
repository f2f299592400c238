import { Option } from "commander";
import * as v from "valibot";
import { UsageError } from "../lib/platform/failure.ts";
import type { Context } from "./command.ts";
import { filled, flag, maybe, option, type Parameter } from "./options.ts";

/** Holds an API key, which the list of processes would show as an option. */
export const KEY_VARIABLE = "RELEVANCE_API_KEY";

/** The option that the variable replaces. It still works, but help does not name it. */
export const keyOption: Parameter<string | undefined> = {
  shown: new Option("--api-key <key>", `use ${KEY_VARIABLE} instead`).hideHelp(),
  schema: v.optional(filled("needs a key")),
};

/** Returns the key of the option, with a warning, or that of the variable; undefined without both. */
export function givenKey(option: string | undefined, { env, terminal }: Pick<Context, "env" | "terminal">) {
  if (option === undefined) return env[KEY_VARIABLE];
  terminal.note(`The list of processes shows --api-key to every user of this machine: use ${KEY_VARIABLE} instead.`);
  return option;
}

const Url = v.optional(v.pipe(v.string(), v.url("must be a URL")));

/** The options that say where both APIs are, and which variables hold their keys. */
export const apiOptions = {
  url: option("--url <url>", "URL of the search gateway (default: the deployed one)", Url),
  keyEnv: option("--key-env <name>", "environment variable with its API key", v.string(), { default: KEY_VARIABLE }),
  recommendationUrl: option(
    "--recommendation-url <url>",
    "URL of the recommendation service (default: the deployed one)",
    Url,
  ),
  recommendationKeyEnv: option(
    "--recommendation-key-env <name>",
    "environment variable with its API key (default: that of --key-env)",
    maybe,
  ),
  local: flag("--local", "use the stack of `make dev`"),
};

/** Returns the API key in an environment variable. Throws UsageError if it has none. */
export function keyIn({ env }: Pick<Context, "env">, name: string): string {
  const key = env[name];
  if (key !== undefined && key !== "") return key;
  throw new UsageError(`There is no API key in the environment variable ${name}`);
}

import { existsSync, mkdirSync } from "node:fs";
import { resolve } from "node:path";

type Env = Readonly<Record<string, string | undefined>>;

/** The environment that Terraform runs in: the caller's, without questions, colours and calls home. */
export function terraformEnvironment(env: Env): Record<string, string> {
  const given = Object.fromEntries(
    Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
  // One that is not there is a warning in the middle of JSON.
  if (given.TF_CLI_CONFIG_FILE && !existsSync(given.TF_CLI_CONFIG_FILE)) delete given.TF_CLI_CONFIG_FILE;
  // Options for all runs would change what a plan says.
  for (const name of Object.keys(given)) if (/^TF_CLI_ARGS/.test(name)) delete given[name];
  return { ...given, TF_IN_AUTOMATION: "1", TF_INPUT: "0", CHECKPOINT_DISABLE: "1", NO_COLOR: "1" };
}

/**
 * Arguments of `terraform init`, and what it needs in the environment: providers from the folder TF_PROVIDER_MIRROR
 * alone, else as Terraform is configured, kept once for all stacks.
 */
export function initOptions(env: Env, cacheFolder: string): { args: string[]; env: Record<string, string> } {
  const mirror = env.TF_PROVIDER_MIRROR;
  if (mirror) return { args: [`-plugin-dir=${resolve(mirror)}`], env: {} };
  if (env.TF_PLUGIN_CACHE_DIR || env.TF_CLI_CONFIG_FILE) return { args: [], env: {} };
  mkdirSync(cacheFolder, { recursive: true });
  // Without the second the first stack of a checkout downloads for every stack: there is no lock file yet.
  return {
    args: [],
    env: { TF_PLUGIN_CACHE_DIR: resolve(cacheFolder), TF_PLUGIN_CACHE_MAY_BREAK_DEPENDENCY_LOCK_FILE: "1" },
  };
}

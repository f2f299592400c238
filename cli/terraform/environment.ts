import { existsSync, mkdirSync } from "node:fs";
import { resolve } from "node:path";

type Env = Readonly<Record<string, string | undefined>>;

/** Returns Terraform's environment: that of the caller, without prompts, colours and version checks. */
export function terraformEnvironment(env: Env): Record<string, string> {
  const given = Object.fromEntries(
    Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
  // If this file is missing, Terraform prints a warning into its JSON output.
  if (given.TF_CLI_CONFIG_FILE && !existsSync(given.TF_CLI_CONFIG_FILE)) delete given.TF_CLI_CONFIG_FILE;
  // These options apply to every run and would change the plan.
  for (const name of Object.keys(given)) if (/^TF_CLI_ARGS/.test(name)) delete given[name];
  return { ...given, TF_IN_AUTOMATION: "1", TF_INPUT: "0", CHECKPOINT_DISABLE: "1", NO_COLOR: "1" };
}

/**
 * Returns arguments and environment of `terraform init`. If TF_PROVIDER_MIRROR is set, Terraform takes providers only
 * from that folder. Otherwise it uses its own configuration, or else one provider cache for all stacks.
 */
export function initOptions(env: Env, cacheFolder: string): { args: string[]; env: Record<string, string> } {
  const mirror = env.TF_PROVIDER_MIRROR;
  if (mirror) return { args: [`-plugin-dir=${resolve(mirror)}`], env: {} };
  if (env.TF_PLUGIN_CACHE_DIR || env.TF_CLI_CONFIG_FILE) return { args: [], env: {} };
  mkdirSync(cacheFolder, { recursive: true });
  // Without the second variable each stack of a new checkout downloads the provider, since there is no lock file yet.
  return {
    args: [],
    env: { TF_PLUGIN_CACHE_DIR: resolve(cacheFolder), TF_PLUGIN_CACHE_MAY_BREAK_DEPENDENCY_LOCK_FILE: "1" },
  };
}

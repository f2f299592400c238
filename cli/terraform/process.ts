import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { Failure } from "../../lib/platform/failure.ts";
import type { Terraform } from "./binary.ts";

export interface RunOptions {
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** Called with each line of standard output, and whether it came after an interruption. */
  onLine?: (line: string, interrupted: boolean) => void;
  /** Called for each interruption; `first` is true if it was forwarded to Terraform. */
  onInterrupt: (first: boolean) => void;
}

export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** The user interrupted Terraform, which then stopped cleanly. */
export class Interrupted extends Failure {
  override name = "Interrupted";
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs Terraform until it exits. Forwards only the first interruption (Ctrl-C or a termination signal): Terraform then
 * finishes its running calls and writes its state. A second signal would prevent that. Throws Interrupted afterwards.
 */
export async function runTerraform(terraform: Terraform, args: readonly string[], options: RunOptions): Promise<Ended> {
  // Runs in its own process group. Otherwise the terminal would also send it Ctrl-C, and the forwarded signal would be
  // the second one.
  const child = spawn(terraform.path, args, {
    cwd: options.cwd,
    env: options.env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let interrupted = false;
  const interrupt = () => {
    options.onInterrupt(!interrupted);
    if (!interrupted) child.kill("SIGINT");
    interrupted = true;
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  try {
    const lines: string[] = [];
    const stderr: Buffer[] = [];
    child.stderr.on("data", (chunk: Buffer) => stderr.push(chunk));
    const reader = createInterface({ input: child.stdout });
    reader.on("line", (line) => {
      lines.push(line);
      options.onLine?.(line, interrupted);
    });
    const [[code, signal]] = (await Promise.all([once(child, "close"), once(reader, "close")])) as [
      [number | null, NodeJS.Signals | null],
      unknown,
    ];
    if (interrupted) {
      throw new Interrupted(
        "Interrupted. Completed changes are in Terraform's state: run the command again to resume.",
      );
    }
    if (code === null) throw new Failure(`${terraform.path} was stopped by ${signal}: run the command again to resume`);
    return { code, stdout: lines.join("\n"), stderr: Buffer.concat(stderr).toString("utf8") };
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}

/** Options that say how to reach and lock the state, by the variable that they may be in. */
const KEPT_OPTIONS: Readonly<Record<string, RegExp>> = {
  TF_CLI_ARGS_init: /-backend-config=\S+|-lock-timeout=\S+/g,
  TF_CLI_ARGS_plan: /-lock-timeout=\S+/g,
  TF_CLI_ARGS_apply: /-lock-timeout=\S+/g,
};

type Env = Readonly<Record<string, string | undefined>>;

/** Returns Terraform's environment: that of the caller, without prompts, colours and version checks. */
export function terraformEnvironment(env: Env): Record<string, string> {
  const given = Object.fromEntries(
    Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
  // If this file is missing, Terraform prints a warning into its JSON output.
  if (given.TF_CLI_CONFIG_FILE && !existsSync(given.TF_CLI_CONFIG_FILE)) delete given.TF_CLI_CONFIG_FILE;
  // Other options in these variables would change the plan.
  for (const name of Object.keys(given)) {
    if (!/^TF_CLI_ARGS/.test(name)) continue;
    const kept = (given[name] ?? "").match(KEPT_OPTIONS[name] ?? /(?!)/g);
    if (kept) given[name] = kept.join(" ");
    else delete given[name];
  }
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

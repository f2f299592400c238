import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { isObject, parseJson } from "../../lib/platform/json/values.ts";
import type { Terraform } from "./binary.ts";
import { type TerraformFailure, terraformFailure } from "./explain.ts";
import { diagnosticsOf, progressLine } from "./messages.ts";
import { type Ended, initOptions, type RunOptions, runTerraform, terraformEnvironment } from "./process.ts";

/** Options shared by all Terraform runs. */
export interface Runner {
  terraform: Terraform;
  env: Readonly<Record<string, string | undefined>>;
  /** Provider cache, unless Terraform is configured otherwise. */
  cacheFolder: string;
  /** Prints a progress line. */
  note: (line: string) => void;
}

/** Terraform's working folder of a synthesized stack. */
export interface StackFolder {
  name: string;
  directory: string;
  /**
   * Whether the folder only serves to read or remove what the configured state contains. A changed state location is
   * migrated in the folder that deploys the stack, never from here.
   */
  scratch?: boolean;
}

/** Records the settings of the last `terraform init`. */
const INIT_MARK = ".terraform/relevance-init";

/** Runs `terraform init`, unless providers, backend and program are the same as last time. */
export async function initStack(runner: Runner, stack: StackFolder): Promise<void> {
  const { terraform, env } = runner;
  const { args, env: extra } = initOptions(env, runner.cacheFolder);
  const { terraform: settings } = JSON.parse(await readFile(join(stack.directory, "cdk.tf.json"), "utf8"));
  const wanted = createHash("sha256")
    .update(
      JSON.stringify([settings, args, terraform.path, terraform.version, terraformEnvironment(env).TF_CLI_ARGS_init]),
    )
    .digest("hex");
  const mark = join(stack.directory, INIT_MARK);
  if (existsSync(mark) && (await readFile(mark, "utf8")) === wanted) return;
  const ended = await run(runner, stack, ["init", "-no-color", ...(await backendArgs(stack, settings)), ...args], {
    extra,
  });
  if (ended.code !== 0) throw failed(runner, stack, ended);
  await writeFile(mark, wanted);
}

/** Settings of Terraform's backend. */
interface Backend {
  bucket?: string;
  region?: string;
  key?: string;
}

/**
 * Returns `-reconfigure` if only the file or key changed: it is the state of another account or region, which Terraform
 * must read unchanged. Without the option Terraform asks to migrate the previous state, which is right only if
 * `terraform.state` changed.
 */
async function backendArgs(
  { directory, scratch }: StackFolder,
  { backend = {} }: { backend?: Record<string, Backend> },
): Promise<string[]> {
  if (scratch) return ["-reconfigure"];
  const file = join(directory, ".terraform/terraform.tfstate");
  if (!existsSync(file)) return [];
  const { backend: before }: { backend?: { type: string; config: Backend } } = JSON.parse(await readFile(file, "utf8"));
  const now = before && backend[before.type];
  return now && (before.type === "local" || placeOf(before.config) === placeOf(now)) ? ["-reconfigure"] : [];
}

/**
 * Returns the location that `terraform.state` in project.yaml determines: without account, region and stack in the key.
 */
function placeOf({ bucket, region, key = "" }: Backend): string {
  const prefix = key.replace(/\/[^/]+$/, "").replace(/\/\d{12}-[a-z\d-]+$/, "");
  return JSON.stringify([bucket, region, prefix]);
}

/** The result of planning a stack. */
export interface StackPlan {
  /** Whether applying the plan changes anything. */
  changes: boolean;
  /** The plan as Terraform prints it. */
  text: string;
}

/** Plans a stack into a file that only this user can read, since it contains secrets. */
export async function planStack(runner: Runner, stack: StackFolder, path: string): Promise<StackPlan> {
  const file = resolve(path);
  // Creates the file, since Terraform would make it readable for others.
  await writeFile(file, "", { mode: 0o600 });
  await chmod(file, 0o600);
  const ended = await run(runner, stack, ["plan", "-no-color", "-detailed-exitcode", `-out=${file}`]);
  if (ended.code !== 0 && ended.code !== 2) throw failed(runner, stack, ended);
  // Drops the text below the rule: it explains how to apply the file with Terraform, which would skip our steps.
  const [text = ""] = ended.stdout
    .replaceAll(/^.*: Refreshing state\.\.\..*\n/gm, "")
    .split(/^─{20,}$/m)
    .slice(0, 1);
  return { changes: ended.code === 2, text: `${text.trim()}\n` };
}

/** Returns a saved plan as JSON. It contains secrets. */
export function planJson(runner: Runner, stack: StackFolder, file: string): Promise<string> {
  return output(runner, stack, ["show", "-json", resolve(file)]);
}

/** Applies a saved plan and prints a line for each finished resource. */
export async function applyPlan(runner: Runner, stack: StackFolder, file: string): Promise<void> {
  const onLine = (line: string, interrupted: boolean) => {
    const text = progressLine(line, interrupted);
    if (text !== undefined) runner.note(`  ${text}`);
  };
  const ended = await run(runner, stack, ["apply", "-json", resolve(file)], { onLine });
  if (ended.code !== 0) throw failed(runner, stack, ended);
}

/** Makes Terraform keep a resource that it would replace because its creation was interrupted. */
export async function untaint(runner: Runner, stack: StackFolder, address: string): Promise<void> {
  await output(runner, stack, ["untaint", address]);
}

/** Reads the state; undefined if there is none. Initializes the stack, unless the state is a file on this machine. */
export async function pullState(runner: Runner, stack: StackFolder): Promise<unknown> {
  const local = await stateFile(runner, stack);
  // Terraform checks its provider before each command, which takes longer than anything else here.
  if (local !== undefined && !existsSync(local)) return undefined;
  const read: unknown = local === undefined ? undefined : parseJson(await readFile(local, "utf8"));
  // OpenTofu can encrypt it.
  if (isObject(read) && Array.isArray(read.resources)) return read;
  await initStack(runner, stack);
  const text = await output(runner, stack, ["state", "pull"]);
  return text.trim() === "" ? undefined : JSON.parse(text);
}

/** Returns the path of a stack's state, if that is a file and no variable puts it elsewhere. */
async function stateFile({ env }: Runner, { directory }: StackFolder): Promise<string | undefined> {
  if (env.TF_WORKSPACE || terraformEnvironment(env).TF_CLI_ARGS_init?.includes("-backend-config")) return undefined;
  const { terraform } = JSON.parse(await readFile(join(directory, "cdk.tf.json"), "utf8"));
  const path: string | undefined = terraform.backend?.local?.path;
  return path === undefined ? undefined : resolve(directory, path);
}

async function output(runner: Runner, stack: StackFolder, args: readonly string[]): Promise<string> {
  const ended = await run(runner, stack, args);
  if (ended.code !== 0) throw failed(runner, stack, ended);
  return ended.stdout;
}

function run(
  { terraform, env, note }: Runner,
  { directory }: StackFolder,
  args: readonly string[],
  { extra = {}, onLine }: { extra?: Record<string, string>; onLine?: RunOptions["onLine"] } = {},
): Promise<Ended> {
  return runTerraform(terraform, args, {
    cwd: directory,
    env: { ...terraformEnvironment(env), ...extra },
    ...(onLine && { onLine }),
    onInterrupt: (first) =>
      note(
        first
          ? "\nInterrupted: waiting for Terraform to finish its running calls and write its state. This can take some minutes."
          : "Still waiting for Terraform: stopping it now would lose the state of running changes.",
      ),
  });
}

function failed({ terraform }: Runner, { name, directory }: StackFolder, { stdout, stderr }: Ended): TerraformFailure {
  return terraformFailure(diagnosticsOf(stdout, stderr), { stack: name, directory, program: terraform.path });
}

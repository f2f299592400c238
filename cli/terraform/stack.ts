import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Terraform } from "./binary.ts";
import { initOptions, terraformEnvironment } from "./environment.ts";
import { type TerraformFailure, terraformFailure } from "./explain.ts";
import { diagnosticsOf } from "./messages.ts";
import { type Ended, runTerraform } from "./process.ts";
import { progressLine } from "./progress.ts";

/** What all runs of Terraform share. */
export interface Runner {
  terraform: Terraform;
  env: Readonly<Record<string, string | undefined>>;
  /** Providers are kept here when Terraform is not configured otherwise. */
  cacheFolder: string;
  /** Shows a line of progress. */
  note: (line: string) => void;
}

/** A synthesized stack: Terraform's working folder. */
export interface StackFolder {
  name: string;
  directory: string;
  /**
   * It is to read and to remove what the state holds, wherever that is now. A state that has moved is taken along in the
   * folder that the stack is deployed from, so never from here.
   */
  scratch?: boolean;
}

/** Names what `terraform init` was run for, in the folder that it makes. */
const INIT_MARK = ".terraform/relevance-init";

/** Makes a folder ready, unless it is: providers and state are told by the configuration's own first part. */
export async function initStack(runner: Runner, stack: StackFolder): Promise<void> {
  const { terraform, env } = runner;
  const { args, env: extra } = initOptions(env, runner.cacheFolder);
  const { terraform: settings } = JSON.parse(await readFile(join(stack.directory, "cdk.tf.json"), "utf8"));
  const wanted = createHash("sha256")
    .update(JSON.stringify([settings, args, terraform.path, terraform.version]))
    .digest("hex");
  const mark = join(stack.directory, INIT_MARK);
  if (existsSync(mark) && (await readFile(mark, "utf8")) === wanted) return;
  const ended = await run(runner, stack, ["init", "-no-color", ...(await backendArgs(stack, settings)), ...args], {
    extra,
  });
  if (ended.code !== 0) throw failed(runner, stack, ended);
  await writeFile(mark, wanted);
}

/** Of Terraform's settings for a backend. */
interface Backend {
  bucket?: string;
  region?: string;
  key?: string;
}

/**
 * Another file or key of the same place is the state of another account or region: it is read as it is. Terraform would
 * ask to take the former one along, which is right for a changed `terraform.state` alone.
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

/** What `terraform.state` of project.yaml says: the key without account, region and stack. */
function placeOf({ bucket, region, key = "" }: Backend): string {
  const prefix = key.replace(/\/[^/]+$/, "").replace(/\/\d{12}-[a-z\d-]+$/, "");
  return JSON.stringify([bucket, region, prefix]);
}

/** What came of planning a stack. */
export interface StackPlan {
  /** Whether applying it does anything. */
  changes: boolean;
  /** The plan in Terraform's own words. */
  text: string;
}

/** Plans a stack into a file that nobody else can read: secret values are in it. */
export async function planStack(runner: Runner, stack: StackFolder, path: string): Promise<StackPlan> {
  const file = resolve(path);
  // Made before, since Terraform would make it readable for others.
  await writeFile(file, "", { mode: 0o600 });
  await chmod(file, 0o600);
  const ended = await run(runner, stack, ["plan", "-no-color", "-detailed-exitcode", `-out=${file}`]);
  if (ended.code !== 0 && ended.code !== 2) throw failed(runner, stack, ended);
  // What follows the rule says how to apply the file with Terraform, which nobody should.
  const [text = ""] = ended.stdout
    .replaceAll(/^.*: Refreshing state\.\.\..*\n/gm, "")
    .split(/^─{20,}$/m)
    .slice(0, 1);
  return { changes: ended.code === 2, text: `${text.trim()}\n` };
}

/** What a saved plan holds, as JSON. Secret values are in it. */
export function planJson(runner: Runner, stack: StackFolder, file: string): Promise<string> {
  return output(runner, stack, ["show", "-json", resolve(file)]);
}

/** Applies a saved plan, with a line for each resource that is done. */
export async function applyPlan(runner: Runner, stack: StackFolder, file: string): Promise<void> {
  const onLine = (line: string) => {
    const text = progressLine(line);
    if (text !== undefined) runner.note(`  ${text}`);
  };
  const ended = await run(runner, stack, ["apply", "-json", resolve(file)], { onLine });
  if (ended.code !== 0) throw failed(runner, stack, ended);
}

/** Makes Terraform keep a resource that it means to replace since its creation was cut short. */
export async function untaint(runner: Runner, stack: StackFolder, address: string): Promise<void> {
  await output(runner, stack, ["untaint", address]);
}

/** The state as Terraform keeps it; undefined when there is none. */
export async function pullState(runner: Runner, stack: StackFolder): Promise<unknown> {
  const text = await output(runner, stack, ["state", "pull"]);
  return text.trim() === "" ? undefined : JSON.parse(text);
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
  { extra = {}, onLine }: { extra?: Record<string, string>; onLine?: (line: string) => void } = {},
): Promise<Ended> {
  return runTerraform(terraform, args, {
    cwd: directory,
    env: { ...terraformEnvironment(env), ...extra },
    ...(onLine && { onLine }),
    onInterrupt: (first) =>
      note(
        first
          ? "\nInterrupted: Terraform finishes what it has begun and writes its state. This can take some minutes."
          : "Still waiting for Terraform: ending it now would lose what it has begun.",
      ),
  });
}

function failed({ terraform }: Runner, { name, directory }: StackFolder, { stdout, stderr }: Ended): TerraformFailure {
  return terraformFailure(diagnosticsOf(stdout, stderr), { stack: name, directory, program: terraform.path });
}

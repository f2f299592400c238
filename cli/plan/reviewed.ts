import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { Failure, UsageError } from "../../lib/platform/failure.ts";
import { parseJson } from "../../lib/platform/json/values.ts";
import type { Project, TerraformProject } from "../project.ts";
import { pullState, type Runner, type StackFolder } from "../terraform/stack.ts";
import type { Planned, PlannedStack } from "./planned.ts";
import type { Prepared } from "./prepare.ts";
import { summarize } from "./summary/summary.ts";

/** Increase it when the shape changes, so that a plan of another version is rejected. */
const FORMAT = 2;
const MANIFEST = "reviewed-plan.json";
const DISCOVERY = "discovery.json";
/** Terraform's record of the provider's version and checksums. Applying a saved plan requires the same one. */
const LOCK_FILE = ".terraform.lock.hcl";

const Hashes = v.record(v.string(), v.string());

/** Position of a Terraform state; null if there is none. */
const StatePosition = v.nullable(v.object({ lineage: v.string(), serial: v.number() }));

const Manifest = v.object({
  format: v.literal(FORMAT),
  project: v.string(),
  account: v.string(),
  region: v.string(),
  planned_at: v.string(),
  /** SHA-256 of each configuration file. */
  configuration: Hashes,
  /** SHA-256 of each function's archive. */
  functions: Hashes,
  /** SHA-256 of each file in the folder. */
  files: Hashes,
  stacks: v.array(
    v.object({
      name: v.string(),
      changes: v.boolean(),
      /** SHA-256 of the synthesized Terraform file. */
      synthesized: v.string(),
      state: StatePosition,
    }),
  ),
  notes: v.array(v.string()),
  standing: v.array(v.string()),
});

/** Inputs of a reviewed plan. */
export type ReviewedPlan = v.InferOutput<typeof Manifest>;

/** Creates the folder of a reviewed plan. Throws UsageError if it contains something. */
export async function emptyFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length === 0) return;
  throw new UsageError(`--out: ${folder} is not empty: name a new folder, so that plans do not mix`);
}

/** Saves what the plans in a folder depend on, and returns the plan's id, which changes with any file in it. */
export async function writeReviewedPlan(
  { config, sdk, folders, runner }: TerraformProject,
  { folder, prepared, planned }: { folder: string; prepared: Prepared; planned: Planned },
): Promise<string> {
  const { discovery, functions, notes, standing } = prepared;
  await writeFile(join(folder, DISCOVERY), await readFile(join(folders.plans, DISCOVERY)), { mode: 0o600 });
  const stacks: ReviewedPlan["stacks"] = [];
  for (const { stack, changes } of planned.stacks) {
    const lock = await readFile(join(stack.directory, LOCK_FILE));
    await writeFile(join(folder, lockFileOf(stack.name)), lock, { mode: 0o600 });
    const state = await statePosition(runner, stack);
    stacks.push({ name: stack.name, changes, synthesized: await hashOfStack(stack), state });
  }
  const manifest: ReviewedPlan = {
    format: FORMAT,
    project: config.project.project_name,
    account: discovery.account,
    region: sdk.region,
    planned_at: new Date().toISOString(),
    configuration: configurationHashes(config.files),
    functions: { ...functions },
    files: await hashesOf(folder),
    stacks,
    notes,
    standing,
  };
  const text = `${JSON.stringify(manifest, undefined, 2)}\n`;
  await writeFile(join(folder, MANIFEST), text, { mode: 0o600 });
  return idOf(text);
}

/** Reads a reviewed plan and its id. Throws UsageError if the folder has none, Failure if one of its files changed. */
export async function readReviewedPlan(folder: string): Promise<{ plan: ReviewedPlan; id: string; discovery: string }> {
  const text = await readFile(join(folder, MANIFEST), "utf8").catch(() => {
    throw new UsageError(`--plan: ${folder} has no ${MANIFEST}: name a folder that \`relevance plan --out\` wrote`);
  });
  const parsed = v.safeParse(Manifest, parseJson(text));
  if (!parsed.success) throw new Failure(`${MANIFEST} in ${folder} is damaged, or of another version of relevance`);
  const now = await hashesOf(folder);
  const changed = differences(parsed.output.files, now);
  refuse(
    changed.map((file) => `${file} in ${folder}${now[file] === undefined ? " is gone: a plan is applied once" : ""}`),
  );
  return { plan: parsed.output, id: idOf(text), discovery: await readFile(join(folder, DISCOVERY), "utf8") };
}

/** Throws Failure if the configuration or the place of deployment is not the planned one; names each difference. */
export function checkConfiguration(plan: ReviewedPlan, { config, sdk, account }: Project): void {
  const place = (project: string, of: string, region: string) => `project ${project} in account ${of}, ${region}`;
  const planned = place(plan.project, plan.account, plan.region);
  const now = place(config.project.project_name, account, sdk.region);
  if (planned !== now) throw new Failure(`The plan is for ${planned}, not for ${now}`);
  const files = differences(plan.configuration, configurationHashes(config.files));
  refuse(files.map((file) => `the configuration file ${file}`));
}

/** Throws Failure if a function or the Terraform code of a stack is not the planned one; names each difference. */
export async function checkBuilt(
  plan: ReviewedPlan,
  { functions, stacks }: Pick<Prepared, "functions" | "stacks">,
): Promise<void> {
  refuse(differences(plan.functions, functions).map((name) => `the bundle of the function ${name}`));
  const planned = Object.fromEntries(plan.stacks.map(({ name, synthesized }) => [name, synthesized]));
  const now: Record<string, string> = {};
  for (const stack of stacks) now[stack.name] = await hashOfStack(stack);
  refuse(differences(planned, now).map((name) => `the Terraform code of the stack ${name}`));
}

/** Puts the plan's lock files into the stacks' folders, for `terraform init`. */
export async function restoreLockFiles(folder: string, stacks: readonly StackFolder[]): Promise<void> {
  for (const { name, directory } of stacks) {
    await writeFile(join(directory, LOCK_FILE), await readFile(join(folder, lockFileOf(name))));
  }
}

/** Throws Failure if a stack's state moved on since the plan; names each. The stacks must be initialized. */
export async function checkStates(plan: ReviewedPlan, runner: Runner, stacks: readonly StackFolder[]): Promise<void> {
  const changed: string[] = [];
  for (const stack of stacks) {
    const before = plan.stacks.find(({ name }) => name === stack.name)?.state ?? null;
    const now = await statePosition(runner, stack);
    if (before?.lineage === now?.lineage && before?.serial === now?.serial) continue;
    const serial = (position: typeof before) => position?.serial ?? "none";
    changed.push(`the state of the stack ${stack.name} (serial ${serial(before)} when planned, now ${serial(now)})`);
  }
  refuse(changed);
}

/** Returns the saved plans with their summary, as `relevance plan` showed it. */
export async function savedPlans(folder: string, plan: ReviewedPlan, stacks: readonly StackFolder[]): Promise<Planned> {
  const planned: PlannedStack[] = [];
  for (const stack of stacks) {
    const changes = plan.stacks.some(({ name, changes }) => name === stack.name && changes);
    const json = JSON.parse(await readFile(join(folder, `${stack.name}.json`), "utf8"));
    planned.push({ stack, file: join(folder, `${stack.name}.tfplan`), changes, plan: json });
  }
  const summary = summarize(
    planned.map(({ stack: { name }, plan: json }) => ({ stack: name, plan: json })),
    plan,
  );
  return { stacks: planned, folder, summary };
}

function refuse(changed: readonly string[]): void {
  if (changed.length === 0) return;
  throw new Failure(
    `Changed since the plan was made:\n  ${changed.join("\n  ")}\nNothing was applied. Run \`relevance plan --out\` again and review the new plan`,
  );
}

async function statePosition(runner: Runner, stack: StackFolder): Promise<v.InferOutput<typeof StatePosition>> {
  const state = v.safeParse(StatePosition, await pullState(runner, stack));
  // Without a state, Terraform prints nothing, or a new one of serial 0 with another lineage each time.
  return state.success && state.output !== null && state.output.serial > 0 ? state.output : null;
}

async function hashOfStack({ directory }: StackFolder): Promise<string> {
  return sha256(await readFile(join(directory, "cdk.tf.json")));
}

async function hashesOf(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).filter((name) => name !== MANIFEST).sort();
  const hashes = names.map(async (name) => [name, sha256(await readFile(join(folder, name)))] as const);
  return Object.fromEntries(await Promise.all(hashes));
}

function configurationHashes(files: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [path, sha256(text)]));
}

/** Returns the keys whose values differ, sorted. */
function differences(before: Readonly<Record<string, string>>, now: Readonly<Record<string, string>>): string[] {
  const keys = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...keys].filter((key) => before[key] !== now[key]).sort();
}

const lockFileOf = (stack: string) => `${stack}.lock.hcl`;

const idOf = (manifest: string) => sha256(manifest).slice(0, 12);

function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { applyPlan, initStack, planJson, planStack, type Runner, type StackFolder } from "../terraform/stack.ts";
import type { PlanJson } from "./summary/plan-json.ts";
import { type PlanSummary, summarize } from "./summary/summary.ts";

/** A stack and its saved plan. */
export interface PlannedStack {
  stack: StackFolder;
  /** Path of the saved plan. */
  file: string;
  /** Whether applying the plan changes anything. */
  changes: boolean;
  plan: PlanJson;
}

/** Saved plans and their summary. */
export interface Planned {
  stacks: PlannedStack[];
  summary: PlanSummary;
}

/**
 * Plans the stacks and saves each plan in the folder: `<stack>.tfplan` to apply, `<stack>.txt` as Terraform prints it,
 * `<stack>.json` for other programs.
 */
export async function planStacks(
  runner: Runner,
  stacks: readonly StackFolder[],
  options: { folder: string; notes?: readonly string[] },
): Promise<Planned> {
  const { folder, notes = [] } = options;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const planned: PlannedStack[] = [];
  try {
    // Plans one stack at a time: each starts the provider, which needs half a gigabyte of memory.
    for (const stack of stacks) planned.push(await planAndSave(runner, stack, folder));
  } catch (error) {
    await Promise.all(stacks.map(({ name }) => rm(join(folder, `${name}.tfplan`), { force: true })));
    throw error;
  }
  const summary = summarize(
    planned.map(({ stack: { name }, plan }) => ({ stack: name, plan })),
    notes,
  );
  return { stacks: planned, summary };
}

/** Plans one stack and saves the plan in an existing folder. */
export async function planAndSave(runner: Runner, stack: StackFolder, folder: string): Promise<PlannedStack> {
  runner.note(`Planning ${stack.name}`);
  await initStack(runner, stack);
  const file = join(folder, `${stack.name}.tfplan`);
  const { changes, text } = await planStack(runner, stack, file);
  const json = await planJson(runner, stack, file);
  await writeFile(join(folder, `${stack.name}.json`), json, { mode: 0o600 });
  await writeFile(join(folder, `${stack.name}.txt`), text, { mode: 0o600 });
  return { stack, file, changes, plan: JSON.parse(json) };
}

/** Applies a saved plan and deletes its file, even after a failure, since the rest needs a new plan. */
export async function applyPlanned(runner: Runner, { stack, file, changes }: PlannedStack): Promise<void> {
  try {
    if (changes) await applyPlan(runner, stack, file);
  } finally {
    await rm(file, { force: true });
  }
}

/** Deletes the files of saved plans. */
export async function discardPlans({ stacks }: Planned): Promise<void> {
  await Promise.all(stacks.map(({ file }) => rm(file, { force: true })));
}

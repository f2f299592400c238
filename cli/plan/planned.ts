import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Failure } from "../../lib/platform/failure.ts";
import { applyPlan, initStack, planJson, planStack, type Runner, type StackFolder } from "../terraform/stack.ts";
import { NOTES_FILE } from "./summary/format.ts";
import type { PlanJson } from "./summary/plan-json.ts";
import { type PlanNotes, type PlanSummary, summarize } from "./summary/summary.ts";

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
  /** The folder of their files. */
  folder: string;
  summary: PlanSummary;
}

/**
 * Plans the stacks and saves each plan in the folder: `<stack>.tfplan` to apply, `<stack>.txt` as Terraform prints it,
 * `<stack>.json` for other programs. The notes that stand are in {@link NOTES_FILE}.
 */
export async function planStacks(
  runner: Runner,
  stacks: readonly StackFolder[],
  { folder, notes = [], standing = [] }: Partial<PlanNotes> & { folder: string },
): Promise<Planned> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const planned: PlannedStack[] = [];
  try {
    // Plans one stack at a time: each starts the provider, which needs half a gigabyte of memory.
    for (const stack of stacks) planned.push(await planAndSave(runner, stack, folder));
  } catch (error) {
    await Promise.all(stacks.map(({ name }) => rm(join(folder, `${name}.tfplan`), { force: true })));
    throw error;
  }
  refuseKeyChange(planned);
  if (standing.length > 0) await writeFile(join(folder, NOTES_FILE), `${standing.join("\n")}\n`, { mode: 0o600 });
  const summary = summarize(
    planned.map(({ stack: { name }, plan }) => ({ stack: name, plan })),
    { notes, standing },
  );
  return { stacks: planned, folder, summary };
}

/**
 * Throws Failure if the plan encrypts the bucket with another key. Its objects stay encrypted with the old one, which
 * the roles could no longer use and Terraform would delete.
 */
export function refuseKeyChange(planned: ReadonlyArray<Pick<PlannedStack, "plan">>): void {
  for (const { type, change } of planned.flatMap(({ plan }) => plan.resource_changes ?? [])) {
    if (type !== "aws_s3_bucket_server_side_encryption_configuration" || !change.actions.includes("update")) continue;
    const [before, after] = [change.before, change.after].map((values) => JSON.stringify(values).match(KEY)?.[1]);
    if (before === undefined || before === after) continue;
    throw new Failure(
      `The project's data is encrypted with ${before}. aws.kms_key_arn in project.yaml can only be set before the first ` +
        "deployment: set it back to what it was",
    );
  }
}

const KEY = /"kms_master_key_id":"([^"]*)"/;

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

/** Says where the whole plans are. */
export const fullPlans = ({ folder }: Pick<Planned, "folder">): string => `Full plans: ${folder}/*.txt`;

/** Deletes the files of saved plans. */
export async function discardPlans({ stacks }: Planned): Promise<void> {
  await Promise.all(stacks.map(({ file }) => rm(file, { force: true })));
}

import { mkdir, rm } from "node:fs/promises";
import type { Names, StackName } from "../../lib/core/naming/names.ts";
import { applyToTheEnd } from "../apply/apply-to-end.ts";
import { paintWith } from "../paint.ts";
import { confirm } from "../plan/confirm.ts";
import { discardPlans, planAndSave, planStacks } from "../plan/planned.ts";
import { resumable } from "../plan/resumable.ts";
import { formatSummary } from "../plan/summary/format.ts";
import { providerRetries, type Session } from "../session.ts";
import { managedResources } from "../terraform/managed-resources.ts";
import { initStack, pullState, type Runner, type StackFolder } from "../terraform/stack.ts";

/** What is known of the account when a removal begins. */
export interface Removal {
  session: Session;
  runner: Runner;
  account: string;
  names: Names;
}

/**
 * Returns initialized stacks without resources, in the given order. Terraform can read their state, and applying them
 * removes what the state contains. Does not read the account.
 */
export async function bareStacks(
  session: Session,
  runner: Runner,
  account: string,
  stacks: readonly StackName[],
): Promise<StackFolder[]> {
  const { config, folders } = session;
  await mkdir(folders.removal, { recursive: true });
  const { synthesizeRemoval } = await import("../../stacks/removal.ts");
  const bare = synthesizeRemoval({
    config,
    account,
    stacks,
    outdir: folders.removal,
    stateFolder: folders.state,
    ...providerRetries(session),
  });
  const scratch = bare.map((stack) => ({ ...stack, scratch: true }));
  for (const stack of scratch) await initStack(runner, stack);
  return scratch;
}

/** Returns the stacks whose state contains resources. */
export async function deployedStacks(
  session: Session,
  runner: Runner,
  account: string,
  stacks: readonly StackName[],
): Promise<StackFolder[]> {
  const deployed: StackFolder[] = [];
  for (const stack of await bareStacks(session, runner, account, stacks)) {
    if (managedResources(stack.name, await pullState(runner, stack)).length > 0) deployed.push(stack);
  }
  return deployed;
}

export interface RemovalOptions {
  yes: boolean;
  question: string;
  /** The text to type instead of "yes". */
  answer?: string;
  /** Runs after the user confirms, before anything is removed. */
  before?: () => Promise<void>;
  /** Runs before a stack is removed. Returns true if it changed the stack. */
  beforeStack?: (stack: StackFolder) => Promise<boolean>;
}

/** Shows what will be removed, asks, and removes the stacks in the given order. */
export async function removeStacks(
  session: Session,
  runner: Runner,
  stacks: readonly StackFolder[],
  options: RemovalOptions,
): Promise<void> {
  const { terminal, folders } = session;
  const folder = `${folders.plans}.removal`;
  const planned = await planStacks(runner, stacks, { folder });
  try {
    terminal.print(`\n${formatSummary(planned.summary, paintWith(terminal.colors))}\n`);
    const { yes, question, answer } = options;
    await confirm(terminal, { text: question, yes, ...(answer !== undefined && { answer }) });
    await resumable(terminal, async () => {
      await options.before?.();
      for (const part of planned.stacks) {
        if (!part.changes) continue;
        terminal.note(terminal.noteColors.bold(`Removing ${part.stack.name}`));
        const again = () => planAndSave(runner, part.stack, folder);
        // A changed stack invalidates its saved plan.
        const current = (await options.beforeStack?.(part.stack)) ? await again() : part;
        await applyToTheEnd(runner, current, { again });
      }
    });
  } finally {
    await discardPlans(planned);
    await rm(folder, { recursive: true, force: true });
  }
}

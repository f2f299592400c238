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
 * Stacks as Terraform's state has them, without the account being read first: to list what they hold, or to remove it.
 * In the order given.
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

/** Those of the stacks that hold anything. */
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
  /** What has to be typed in place of "yes". */
  answer?: string;
  /** Runs when the user has agreed, before anything is removed. */
  before?: () => Promise<void>;
  /** Runs before a stack is removed. True: it has changed the stack. */
  beforeStack?: (stack: StackFolder) => Promise<boolean>;
}

/** Shows what removing the stacks means, asks, and removes them in the order given. Gives whether there was anything. */
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
        // A saved plan is of the state that it was made from.
        const current = (await options.beforeStack?.(part.stack)) ? await again() : part;
        await applyToTheEnd(runner, current, { again });
      }
    });
  } finally {
    await discardPlans(planned);
    await rm(folder, { recursive: true, force: true });
  }
}

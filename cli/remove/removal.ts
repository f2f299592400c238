import { rm } from "node:fs/promises";
import { applyToTheEnd } from "../apply/apply-to-end.ts";
import { resumable } from "../command.ts";
import { confirm } from "../confirm.ts";
import { discardPlans, planAndSave, planStacks } from "../plan/planned.ts";
import { formatSummary } from "../plan/summary/format.ts";
import type { Place } from "../session.ts";
import type { StackFolder } from "../terraform/stack.ts";

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
  { session, runner }: Place,
  stacks: readonly StackFolder[],
  options: RemovalOptions,
): Promise<void> {
  const { terminal, folders } = session;
  const folder = `${folders.plans}.removal`;
  const planned = await planStacks(runner, stacks, { folder });
  try {
    terminal.print(`\n${formatSummary(planned.summary, terminal.colors)}\n`);
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

import { Failure } from "../errors.ts";
import { applyPlanned, type PlannedStack } from "../plan/planned.ts";
import { TerraformFailure } from "../terraform/explain.ts";
import { functionErrorIn, isStillInProgress } from "../terraform/function-error.ts";
import type { Runner } from "../terraform/stack.ts";

/** Personalize needs minutes for a filter or a dataset; after this time it is stuck. */
const MOST_MS = 3_600_000;

export interface ToTheEnd {
  /**
   * Plans the stack again from the account's current state. Terraform records a failed change as done; only the account
   * shows that it is not.
   */
  again: () => Promise<PlannedStack>;
  now?: () => number;
}

/**
 * Applies a stack's plan. An invocation of personalize-manager waits less than five minutes. If the work takes longer,
 * plans and applies the stack again, which resumes the wait, for up to an hour. Throws Failure if a later
 * plan would do more than the user confirmed.
 */
export async function applyToTheEnd(
  runner: Runner,
  planned: PlannedStack,
  { again, now = () => performance.now() }: ToTheEnd,
): Promise<void> {
  const began = now();
  const agreed = changedIn(planned);
  for (let part = planned; ; ) {
    try {
      return await applyPlanned(runner, part);
    } catch (error) {
      if (!(error instanceof TerraformFailure) || !isStillInProgress(error.diagnostics)) throw error;
      if (now() - began >= MOST_MS) throw error;
      for (const diagnostic of error.diagnostics) {
        const thrown = functionErrorIn(diagnostic);
        if (thrown) runner.note(`  ${thrown.message.replace(/[:.] (run )?apply again.*$/i, "")}: waiting`);
      }
    }
    part = await again();
    refuseMore(agreed, changedIn(part));
  }
}

function refuseMore(agreed: Actions, wanted: Actions): void {
  const more = [...wanted].flatMap(([address, actions]) => {
    const before = agreed.get(address);
    if (!before) return [`${address} would also change`];
    if (!actions.has("delete") || before.has("delete")) return [];
    return [`${address} would be ${actions.has("create") ? "replaced" : "deleted"}`];
  });
  if (more.length === 0) return;
  throw new Failure(
    `The account changed while waiting for Personalize: ${more.join(", ")}. Run the command again and check the new plan`,
  );
}

/** The actions on each changed address. */
type Actions = ReadonlyMap<string, ReadonlySet<string>>;

function changedIn({ plan }: PlannedStack): Actions {
  const found = new Map<string, Set<string>>();
  for (const { address, mode, change } of plan.resource_changes ?? []) {
    const actions = change.actions.filter((action) => action !== "no-op");
    if (mode !== "managed" || actions.length === 0) continue;
    // A replaced resource and its deposed predecessor have the same address.
    found.set(address, new Set([...(found.get(address) ?? []), ...actions]));
  }
  return found;
}

import { Failure } from "../errors.ts";
import { applyPlanned, type PlannedStack } from "../plan/planned.ts";
import { TerraformFailure } from "../terraform/explain.ts";
import { functionErrorIn, isStillGoingOn } from "../terraform/function-error.ts";
import type { Runner } from "../terraform/stack.ts";

/** Personalize takes minutes for a filter or a dataset; what is not done after that is stuck. */
const MOST_MS = 3_600_000;

export interface ToTheEnd {
  /**
   * Plans the stack again, from what the account has now: Terraform takes a change that failed for done, and only what
   * was read shows that it is not.
   */
  again: () => Promise<PlannedStack>;
  now?: () => number;
}

/**
 * Applies a stack's plan. An invocation of personalize-manager waits less than five minutes; what goes on beyond that is
 * joined by planning and applying the stack again, up to an hour. Throws Failure when the later plan would do more than
 * the one that was agreed to.
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
      if (!(error instanceof TerraformFailure) || !isStillGoingOn(error.diagnostics)) throw error;
      if (now() - began >= MOST_MS) throw error;
      for (const diagnostic of error.diagnostics) {
        const thrown = functionErrorIn(diagnostic);
        if (thrown) runner.note(`  ${thrown.message.replace(/: apply again.*$/, "")}: waiting on`);
      }
    }
    part = await again();
    refuseMore(agreed, changedIn(part));
  }
}

function refuseMore(agreed: Actions, wanted: Actions): void {
  const more = [...wanted].flatMap(([address, actions]) => {
    const before = agreed.get(address);
    if (!before) return [`${address} would change too`];
    if (!actions.has("delete") || before.has("delete")) return [];
    return [`${address} would be ${actions.has("create") ? "replaced" : "deleted"}`];
  });
  if (more.length === 0) return;
  throw new Failure(
    `The account has changed while Personalize was waited for: ${more.join(", ")}. ` +
      "Run this again and look at the new plan",
  );
}

/** What is done to each address that is changed. */
type Actions = ReadonlyMap<string, ReadonlySet<string>>;

function changedIn({ plan }: PlannedStack): Actions {
  const found = new Map<string, Set<string>>();
  for (const { address, mode, change } of plan.resource_changes ?? []) {
    const actions = change.actions.filter((action) => action !== "no-op");
    if (mode !== "managed" || actions.length === 0) continue;
    // One that is replaced, and what is left of its predecessor, have the same address.
    found.set(address, new Set([...(found.get(address) ?? []), ...actions]));
  }
  return found;
}

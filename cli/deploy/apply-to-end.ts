import { Failure } from "../errors.ts";
import { TerraformFailure } from "../terraform/explain.ts";
import { functionErrorIn, isStillGoingOn } from "../terraform/function-error.ts";
import type { Runner } from "../terraform/stack.ts";
import { applyPlanned, type PlannedStack } from "./planned.ts";

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
  const agreed = new Set(changedIn(planned));
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
    const more = changedIn(part).filter((address) => !agreed.has(address));
    if (more.length > 0) {
      throw new Failure(
        `The account has changed while Personalize was waited for: ${more.join(", ")} would change too. ` +
          "Run this again and look at the new plan",
      );
    }
  }
}

function changedIn({ plan }: PlannedStack): string[] {
  const changes = (plan.resource_changes ?? []).filter(({ mode }) => mode === "managed");
  return changes
    .filter(({ change }) => change.actions.some((action) => action !== "no-op"))
    .map(({ address }) => address);
}

import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "../../lib/platform/failure.ts";
import { applyPlanned, type PlannedStack } from "../plan/planned.ts";
import {
  deniedRole,
  functionErrorIn,
  isDeniedToFunction,
  TerraformFailure,
  type Wait,
  waitOf,
} from "../terraform/explain.ts";
import type { Diagnostic } from "../terraform/messages.ts";
import type { Runner } from "../terraform/stack.ts";

/** Personalize needs minutes for a filter or a dataset; after this time it is stuck. */
const MOST_MS = 3_600_000;

/**
 * How long new permissions may take. IAM is "eventually consistent" without a number; a new alias of a key takes up to five
 * minutes. Source: KMS Developer Guide, "Control access to keys based on alias", kms:ResourceAliases.
 */
const PERMISSIONS_MS = 120_000;
const KEY_PERMISSIONS_MS = 330_000;
const PAUSE_MS = 10_000;

export interface ToTheEnd {
  /**
   * Plans the stack again from the account's current state. Terraform records a failed change as done; only the account
   * shows that it is not.
   */
  again: () => Promise<PlannedStack>;
  now?: () => number;
  pause?: (ms: number) => Promise<unknown>;
}

/**
 * Applies a stack's plan. An invocation of personalize-manager waits less than five minutes. If the work takes longer,
 * plans and applies the stack again, which resumes the wait, for up to an hour. The same if IAM has not yet made the
 * permissions of a new function's role known everywhere, for some minutes. Throws Failure if a later plan would do more
 * than the user confirmed.
 */
export async function applyToTheEnd(
  runner: Runner,
  planned: PlannedStack,
  { again, now = () => performance.now(), pause = (ms) => sleep(ms) }: ToTheEnd,
): Promise<void> {
  const began = now();
  const agreed = changedIn(planned);
  for (let part = planned; ; ) {
    try {
      return await applyPlanned(runner, part);
    } catch (error) {
      if (!(error instanceof TerraformFailure)) throw error;
      const wait = waitOf(error.diagnostics);
      if (wait === undefined || now() - began >= mostOf(wait, error)) throw error;
      for (const diagnostic of error.diagnostics) {
        const text = waitingFor(diagnostic);
        if (text) runner.note(`  ${text}: waiting`);
      }
      if (wait === "permissions") await pause(PAUSE_MS);
    }
    part = await again();
    refuseMore(agreed, changedIn(part));
  }
}

function mostOf(wait: Wait, { message }: TerraformFailure): number {
  if (wait === "work") return MOST_MS;
  return message.includes("kms:") ? KEY_PERMISSIONS_MS : PERMISSIONS_MS;
}

function waitingFor(diagnostic: Diagnostic): string | undefined {
  const thrown = functionErrorIn(diagnostic);
  if (!thrown) return undefined;
  if (!isDeniedToFunction(diagnostic)) return thrown.message.replace(/[:.] (run )?apply again.*$/i, "");
  const [, action = "a call"] = /not authorized to perform: (\S+)/.exec(thrown.message) ?? [];
  return `${diagnostic.address}: IAM does not yet permit ${action} to ${deniedRole(thrown.message)}`;
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

import { mkdir } from "node:fs/promises";
import { BuildError } from "../../build/error.ts";
import { buildFunctions } from "../../build/functions.ts";
import { appliedInputs } from "../apply/applied-inputs.ts";
import { applyToTheEnd } from "../apply/apply-to-end.ts";
import { Failure } from "../errors.ts";
import { planAndSave } from "../plan/planned.ts";
import type { PlanJson } from "../plan/summary/plan-json.ts";
import { providerRetries } from "../session.ts";
import { pullState, type StackFolder } from "../terraform/stack.ts";
import type { Removal } from "./removal.ts";
import { bareStacks } from "./removal.ts";

/** The stack with the resources of Personalize that hold data. */
const STACK = "personalization";

/**
 * Throws Failure when stacks are to be removed that the section `personalize` is needed for, and it is missing: their last
 * one would stay, with tables and API gone.
 */
export async function requireSection(stacks: readonly StackFolder[], { session, runner }: Removal): Promise<void> {
  if (session.config.recommendation) return;
  const stack = stacks.find(({ name }) => name === STACK);
  if (!stack || Object.keys(appliedInputs(await pullState(runner, stack))).length === 0) return;
  throw new Failure(
    "project.yaml has no section personalize any more: put it and its files back until the service is uninstalled",
  );
}

/**
 * Applies to the resources of Personalize that hold data that they may be deleted: without it Terraform refuses a plan
 * that does, and personalize-manager the deletion. Gives whether there was any left.
 */
export async function allowDeletion({ session, runner, account }: Removal): Promise<boolean> {
  const { config, folders, terminal } = session;
  const [bare] = await bareStacks(session, runner, account, [STACK]);
  const applied = bare ? appliedInputs(await pullState(runner, bare)) : {};
  // An interrupted uninstallation has come as far as the function itself.
  if (Object.keys(applied).length === 0) return false;
  terminal.note("Allowing the deletion of what holds data");
  await mkdir(folders.uninstall, { recursive: true });
  const { synthesizeDeletable } = await import("../../stacks/removal.ts");
  const [written] = synthesizeDeletable({
    config,
    account,
    applied,
    artifacts: await manager(folders.functions),
    outdir: folders.uninstall,
    stateFolder: folders.state,
    ...providerRetries(session),
  });
  if (!written) return false;
  const stack = { ...written, scratch: true };
  const again = async () => {
    const planned = await planAndSave(runner, stack, `${folders.plans}.removal`);
    refuseMore(planned.plan);
    return planned;
  };
  await applyToTheEnd(runner, await again(), { again });
  return true;
}

const UPDATED = ["aws_lambda_invocation", "aws_lambda_function", "aws_lambda_alias"];

/**
 * Throws Failure for a plan that does more than to allow the deletion, since nobody is shown it. Allowed are updates in
 * place of the invocations, and of the function with its alias, whose code may be newer than what is deployed; and the
 * creation of what an interrupted uninstallation has removed already, which goes again at once.
 */
export function refuseMore({ resource_changes = [] }: PlanJson): void {
  const more = resource_changes.filter(({ mode, type, change }) => {
    const actions = change.actions.join();
    if (mode !== "managed" || actions === "no-op") return false;
    if (actions === "create") return type === "aws_lambda_invocation";
    return actions !== "update" || !UPDATED.includes(type);
  });
  if (more.length === 0) return;
  const list = more.map(({ address, change }) => `${address} (${change.actions.join(", ")})`).join(", ");
  throw new Failure(
    `Stack ${STACK} is not as it was deployed, and allowing its deletion would change more than that: ${list}. ` +
      "Run `relevance deploy`, which shows these changes, and then this again",
  );
}

async function manager(outdir: string) {
  try {
    return await buildFunctions({ outdir, functions: ["personalize-manager"], files: {} });
  } catch (error) {
    throw error instanceof BuildError ? new Failure(error.message, { cause: error }) : error;
  }
}

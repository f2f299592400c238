import { mkdir } from "node:fs/promises";
import { BuildError } from "../../build/error.ts";
import { buildFunctions } from "../../build/functions.ts";
import { Failure, rethrown } from "../../lib/platform/failure.ts";
import { applyToTheEnd } from "../apply/apply-to-end.ts";
import { planAndSave } from "../plan/planned.ts";
import type { PlanJson } from "../plan/summary/plan-json.ts";
import { providerRetries, type TerraformProject } from "../project.ts";
import { appliedInputs, bareStacks, managedResources } from "../state/stacks.ts";
import { pullState, type StackFolder } from "../terraform/stack.ts";

/** The stack with the Personalize resources that hold data. */
const STACK = "personalization";

/**
 * Throws Failure if the section `personalize` is missing but needed to remove these stacks. Without it the removal
 * would stop at the last stack, after tables and API are gone.
 */
export async function requireSection(
  stacks: readonly StackFolder[],
  { config, runner }: TerraformProject,
): Promise<void> {
  if (config.recommendation) return;
  const stack = stacks.find(({ name }) => name === STACK);
  if (!stack || Object.keys(appliedInputs(await pullState(runner, stack))).length === 0) return;
  throw new Failure(
    "project.yaml no longer has the section personalize: restore it and its files until the service is uninstalled",
  );
}

/**
 * Removes the deletion protection of the Personalize resources that hold data. Until then Terraform refuses to plan
 * their deletion, and personalize-manager refuses to delete them. Returns whether any of them still existed.
 */
export async function allowDeletion(project: TerraformProject): Promise<boolean> {
  const { config, folders, terminal, runner, account } = project;
  const [bare] = await bareStacks(project, [STACK]);
  const state = bare && (await pullState(runner, bare));
  const applied = appliedInputs(state);
  // An interrupted uninstall already removed everything but the function.
  if (Object.keys(applied).length === 0) return false;
  terminal.note("Removing the deletion protection of resources with data");
  await mkdir(folders.uninstall, { recursive: true });
  const artifacts = await rethrown(BuildError, Failure, () =>
    buildFunctions({ outdir: folders.functions, functions: ["personalize-manager"] }),
  );
  const { synthesizeDeletable } = await import("../../stacks/removal.ts");
  const [written] = synthesizeDeletable({
    config,
    account,
    applied,
    inVpc: managedResources(STACK, state).some(({ address }) => address === "aws_security_group.vpc-functions"),
    artifacts,
    outdir: folders.uninstall,
    stateFolder: folders.state,
    ...providerRetries(project),
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
 * Throws Failure for a plan that does more than remove the protection, since this plan is never shown. Allows in-place
 * updates of the invocations, of the function and of its alias, whose code may be newer than the deployed one. Also
 * allows creating what an interrupted uninstall already removed: it is deleted again at once.
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
    `Stack ${STACK} differs from its last deployment, so removing its deletion protection would also change ${list}. ` +
      "Run `relevance deploy`, which shows these changes, then run this command again",
  );
}

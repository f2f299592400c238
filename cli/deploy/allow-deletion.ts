import { mkdir } from "node:fs/promises";
import { BuildError } from "../../build/error.ts";
import { buildFunctions } from "../../build/functions.ts";
import { Failure } from "../errors.ts";
import { pullState } from "../terraform/stack.ts";
import { appliedInputs } from "./applied-inputs.ts";
import { applyToTheEnd } from "./apply-to-end.ts";
import { planAndSave } from "./planned.ts";
import { bareStacks } from "./removal.ts";
import type { Removal } from "./remove-service.ts";
import { providerRetries } from "./session.ts";

/**
 * Applies to the resources of Personalize that hold data that they may be deleted: without it Terraform refuses a plan
 * that does, and personalize-manager the deletion. Gives whether there was any left.
 */
export async function allowDeletion({ session, runner, account }: Removal): Promise<boolean> {
  const { config, folders, terminal } = session;
  const [bare] = await bareStacks(session, runner, account, ["personalization"]);
  const applied = bare ? appliedInputs(await pullState(runner, bare)) : {};
  // An interrupted uninstallation has come as far as the function itself.
  if (Object.keys(applied).length === 0) return false;
  if (!config.recommendation) {
    throw new Failure(
      "project.yaml has no section personalize any more: put it and its files back until the service is uninstalled",
    );
  }
  terminal.note("Allowing the deletion of what holds data");
  await mkdir(folders.uninstall, { recursive: true });
  const { synthesizeDeletable } = await import("../../stacks/removal.ts");
  const [stack] = synthesizeDeletable({
    config,
    account,
    applied,
    artifacts: await manager(folders.functions),
    outdir: folders.uninstall,
    stateFolder: folders.state,
    ...providerRetries(session),
  });
  if (!stack) return false;
  const again = () => planAndSave(runner, stack, `${folders.plans}.removal`);
  await applyToTheEnd(runner, await again(), { again });
  return true;
}

async function manager(outdir: string) {
  try {
    return await buildFunctions({ outdir, functions: ["personalize-manager"], files: {} });
  } catch (error) {
    throw error instanceof BuildError ? new Failure(error.message, { cause: error }) : error;
  }
}

import { parseDiscovery } from "../../lib/infrastructure/discovery.ts";
import type { ExitCode } from "../command.ts";
import { buildAndSynthesize } from "../plan/prepare.ts";
import {
  checkBuilt,
  checkConfiguration,
  checkStates,
  readReviewedPlan,
  restoreLockFiles,
  savedPlans,
} from "../plan/reviewed.ts";
import { accountOf, failing, namesIn, runnerOf, type Session } from "../session.ts";
import { initStack } from "../terraform/stack.ts";
import { finishDeployment, showAndApply } from "./deploy-project.ts";

/**
 * Applies exactly the plan that `relevance plan --out` saved in a folder. Throws Failure, before it changes anything,
 * if the configuration, a function, a state or a file of the plan changed since; names what.
 */
export async function deployReviewed(session: Session, folder: string, { yes }: { yes: boolean }): Promise<ExitCode> {
  const { terminal } = session;
  const { plan, id, discovery } = await readReviewedPlan(folder);
  const account = await accountOf(session);
  checkConfiguration(plan, session, account);
  const runner = await runnerOf(session);
  const built = await buildAndSynthesize(session, await failing((async () => parseDiscovery(discovery))()));
  await checkBuilt(plan, built);
  await restoreLockFiles(folder, built.stacks);
  terminal.note("Checking that nothing changed since the plan was made");
  for (const stack of built.stacks) await initStack(runner, stack);
  await checkStates(plan, runner, built.stacks);
  const planned = await savedPlans(folder, plan, built.stacks);
  terminal.note(`Plan ${id} of ${plan.planned_at}`);
  const names = namesIn(session, account);
  await showAndApply(session, runner, planned, { names, yes });
  return finishDeployment(session, names);
}

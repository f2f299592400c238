import { randomBytes } from "node:crypto";
import { parseDiscovery } from "../../lib/infrastructure/discovery.ts";
import { Failure } from "../../lib/platform/failure.ts";
import { keysWithSecrets } from "../../lib/settings/access.ts";
import type { ExitCode } from "../command.ts";
import { confirm } from "../confirm.ts";
import { keyValueFor, removeEmptyApis } from "../deployed-api.ts";
import { explained } from "../discovery/explain.ts";
import type { SdkConfig } from "../discovery/sdk/config.ts";
import { readSecret, writeSecret } from "../discovery/sdk/secrets.ts";
import { synchronizePlacements, synchronizeRules, synchronizeSynonyms } from "../documents.ts";
import { planDigest } from "../plan/digest.ts";
import { discardPlans, fullPlans, type Planned, type PlannedStack, planAndSave, planStacks } from "../plan/planned.ts";
import { buildAndSynthesize, prepare } from "../plan/prepare.ts";
import { addMonthlySum } from "../plan/prices.ts";
import {
  checkBuilt,
  checkConfiguration,
  checkStates,
  readReviewedPlan,
  restoreLockFiles,
  savedPlans,
} from "../plan/reviewed.ts";
import { formatSummary } from "../plan/summary/format.ts";
import { failing, type Project, type TerraformProject } from "../project.ts";
import { stepsOf } from "../services.ts";
import { synchronizeConfiguration } from "../state/configuration-objects.ts";
import { initStack } from "../terraform/stack.ts";
import { toolVersion } from "../version.ts";
import { findDeployedApis, printApis, proveGateway, recordDeployment } from "./after-deploy.ts";
import { applyToTheEnd } from "./apply-to-end.ts";
import { probeRequestLog, sdkAthena } from "./athena-probe.ts";
import { Leftovers } from "./leftovers.ts";
import { lambdaInvoke, probeServices } from "./probes.ts";
import { storeKeys, storesKeys } from "./stored-keys.ts";
import { ensureTokenSecret } from "./token-secrets.ts";
import { recordVersions } from "./versions.ts";

/** Most rounds of planning and applying. A round that finds leftovers needs another one, which imports them. */
const MAX_ROUNDS = 4;

/** How `deploy` works. */
export interface DeployOptions {
  /** Whether it applies without asking. */
  yes: boolean;
  /** Whether it prints the values of the API keys. */
  printKeys: boolean;
  /** The digest that the plan must have. Somebody approved that plan, so nothing else is asked. */
  approvedDigest?: string | undefined;
}

/** Plans all stacks, shows the plan, applies exactly that plan step by step, and checks that the API works. */
export async function deployProject(
  project: TerraformProject,
  { yes, printKeys, approvedDigest }: DeployOptions,
): Promise<ExitCode> {
  const { config, folders, runner } = project;
  const prepared = await prepare(project);
  const leftovers = new Leftovers(project);
  await leftovers.write(prepared.stacks);
  for (let round = 1; ; round += 1) {
    const planned = await planStacks(runner, prepared.stacks, { ...prepared, folder: folders.plans });
    try {
      leftovers.check(planned);
      await addMonthlySum(project, planned);
      if (approvedDigest !== undefined) requireApproved({ config, prepared }, planned, approvedDigest);
      await showAndApply(project, planned, yes || approvedDigest !== undefined);
      break;
    } catch (error) {
      // Another round is another plan, which nobody approved.
      if (round === MAX_ROUNDS || approvedDigest !== undefined || !(await leftovers.take(error, planned, runner)))
        throw error;
      await leftovers.write(prepared.stacks);
    } finally {
      await discardPlans(planned);
    }
  }
  await leftovers.clear(prepared.stacks);
  return finishDeployment(project, printKeys);
}

/** Throws Failure if the plan is not the approved one. */
function requireApproved(covered: Parameters<typeof planDigest>[0], planned: Planned, approved: string): void {
  const digest = planDigest(covered, planned);
  if (digest === approved) return;
  throw new Failure(
    `The plan has the digest ${digest}, but ${approved} was approved: the configuration, the code or the account changed ` +
      "since. Nothing was applied. Run `relevance plan --markdown` and have the new plan approved",
  );
}

/** Shows the plan, asks for confirmation and applies it. */
async function showAndApply(project: TerraformProject, planned: Planned, yes: boolean): Promise<void> {
  const { terminal } = project;
  terminal.print(`\n${formatSummary(planned.summary, terminal.colors)}\n`);
  terminal.note(fullPlans(planned));
  if (planned.summary.changes) await confirm(terminal, { text: "Apply this plan?", yes });
  await applySteps(project, planned);
}

/** Applies the saved plans in the order of the steps. After `storage`, writes what Terraform does not manage. */
async function applySteps(project: TerraformProject, planned: Planned): Promise<void> {
  const { terminal, config, runner } = project;
  const steps = stepsOf(config);
  for (const [index, { title, stacks }] of steps.entries()) {
    const parts = planned.stacks.filter(({ stack }) => stacks.some((name) => name === stack.name));
    const state = parts.length === 0 ? "not configured" : parts.some(({ changes }) => changes) ? "" : "no changes";
    const heading = `Step ${index + 1} of ${steps.length}: ${title}`;
    terminal.note(`${terminal.noteColors.bold(heading)}${state && `  ${state}`}`);
    for (const part of parts) {
      await applyToTheEnd(runner, part, { again: () => planAgain(project, part) });
      if (part.stack.name === "storage") await completeStorage(project);
    }
  }
  // Last, since placements name filters and campaigns.
  await synchronizePlacements(project);
}

/** Plans the stack from the account's current state. */
async function planAgain(project: TerraformProject, { stack }: PlannedStack): Promise<PlannedStack> {
  await prepare(project);
  return planAndSave(project.runner, stack, project.folders.plans);
}

async function completeStorage(project: Project): Promise<void> {
  const { config, sdk, terminal, names } = project;
  await synchronizeConfiguration(project, names.bucket());
  await synchronizeSynonyms(project);
  await synchronizeRules(project);
  for (const { name } of keysWithSecrets(config.api)) {
    if (await ensureTokenSecret(project, name)) terminal.note(`  signing secret of ${name}: created`);
  }
  if (config.api.logging.user_id !== "hmac") return;
  if (await ensureUserIdKey(sdk, names.userIdKeyParameter())) terminal.note("  key for user ids: created");
}

/**
 * Records the deployment, prints the APIs, and checks that the gateway, its models, the campaigns and the request log
 * work.
 */
async function finishDeployment(project: Project, printKeys: boolean): Promise<ExitCode> {
  const { terminal, config, names, local } = project;
  const apis = await findDeployedApis(project);
  for (const api of apis) await recordDeployment(project, api, toolVersion());
  await recordVersions(project);
  terminal.note("");
  const secret = storesKeys(config) ? await storeKeys(project, apis) : undefined;
  const show = printKeys && secret === undefined;
  printApis(terminal, apis, { names, alarms: config.project.alarms, show });
  if (secret !== undefined) terminal.note(`The values of the keys are in the secret ${secret}.`);
  // After URL and key are printed: AWS deletes one API in 30 seconds, and may refuse a second.
  for (const { service } of apis) {
    for (const id of await failing(explained("apigateway:DELETE", removeEmptyApis(project, service)))) {
      terminal.note(`an API without routes that an interrupted deployment left is removed: ${id}`);
    }
  }
  const gateway = config.searchGateway && apis.find(({ service }) => service === "search-gateway");
  const answers = gateway === undefined || (await proveGateway(project, gateway));
  const callsAll = await probeServices(project, await lambdaInvoke(project));
  const asked = !config.searchGateway || (await probeRequestLog(terminal, names, await sdkAthena(project.sdk)));
  const key = gateway && keyValueFor(gateway, config.api.keys, ["bulk", "search", "hybrid-search", "raw-backend"]);
  if (local && gateway && key !== undefined) {
    for (const line of ["", ...local.examples(gateway.url, key)]) terminal.print(line);
  }
  if (local) {
    terminal.note("Other commands use this account with RELEVANCE_LOCAL=1: `RELEVANCE_LOCAL=1 npx relevance status`");
  }
  return answers && callsAll && asked ? 0 : 1;
}

/**
 * Applies exactly the plan that `relevance plan --out` saved in a folder. Throws Failure, before it changes anything,
 * if the configuration, a function, a state or a file of the plan changed since; names what.
 */
export async function deployReviewed(
  project: TerraformProject,
  folder: string,
  options: DeployOptions,
): Promise<ExitCode> {
  const { terminal, runner } = project;
  const { plan, id, discovery } = await readReviewedPlan(folder);
  checkConfiguration(plan, project);
  const built = await buildAndSynthesize(project, await failing((async () => parseDiscovery(discovery))()));
  await checkBuilt(plan, built);
  await restoreLockFiles(folder, built.stacks);
  terminal.note("Checking that nothing changed since the plan was made");
  for (const stack of built.stacks) await initStack(runner, stack);
  await checkStates(plan, runner, built.stacks);
  const planned = await savedPlans(folder, plan, built.stacks);
  terminal.note(`Plan ${id} of ${plan.planned_at}`);
  await showAndApply(project, planned, options.yes);
  return finishDeployment(project, options.printKeys);
}

/** Length of the key in bytes: that of the hash. */
const BYTES = 32;

/**
 * Writes the value of the user-id key if it has none. Terraform creates the secret but never sees its value. The value
 * never changes, since another one would hash the same user differently. Returns whether a value was written.
 */
export async function ensureUserIdKey(sdk: SdkConfig, SecretId: string): Promise<boolean> {
  if ((await readSecret(sdk, SecretId)) !== undefined) return false;
  await writeSecret(sdk, SecretId, randomBytes(BYTES).toString("base64"));
  return true;
}

import { mkdir, writeFile } from "node:fs/promises";
import { totalmem } from "node:os";
import { join } from "node:path";
import { BuildError } from "../../build/error.ts";
import { buildFunctions } from "../../build/functions.ts";
import { modelFilesProblem } from "../../build/models.ts";
import { withNativeCode } from "../../build/native.ts";
import { functionFiles, functionsOf, settingsOf, usesSparseModel } from "../../build/settings-files.ts";
import { type Discovery, DiscoveryError, formatDiscovery } from "../../lib/infrastructure/discovery.ts";
import { Failure, rethrown } from "../../lib/platform/failure.ts";
import { settingChanges } from "../../lib/platform/json/setting-changes.ts";
import type { FunctionName } from "../../lib/platform/naming/names.ts";
import type { Configuration } from "../../lib/settings/configuration.ts";
import { discover } from "../discovery/discover.ts";
import { checkQuotas } from "../discovery/quotas.ts";
import { sdkQuotas } from "../discovery/sdk/quotas.ts";
import { sdkDiscoveryClients } from "../discovery/sdk/sdk-clients.ts";
import { placementNotes, ruleNotes, synonymNotes } from "../documents.ts";
import { failing, type Project, providerRetries, type TerraformProject } from "../project.ts";
import { recipeNotes } from "../recommendation/recipe-notes.ts";
import { compareConfiguration, configurationNotes, storedConfiguration } from "../state/configuration-objects.ts";
import { readAppliedInputs } from "../state/stacks.ts";
import { refuseMissingSections } from "../state/still-deployed.ts";
import type { StackFolder } from "../terraform/stack.ts";
import { readDeployed } from "./deployed.ts";
import { endDateNotes, sdkLifecycles } from "./end-dates.ts";
import { incompatibleIndexNotes } from "./incompatible-indexes.ts";
import { rightsNotes, rightsOf } from "./key-rights.ts";
import { passageNotes } from "./passage-notes.ts";
import { rerankNotes } from "./rerank-notes.ts";
import type { PlanNotes } from "./summary/summary.ts";

/** A deployment that is ready to plan. */
export interface Prepared extends PlanNotes {
  discovery: Discovery;
  /** In the order of deployment. */
  stacks: StackFolder[];
  /** SHA-256 of each function's archive in base64. */
  functions: Readonly<Record<string, string>>;
}

/** With less memory the system may kill Terraform and its provider. */
const LEAST_MEMORY = 4e9;

/**
 * Reads the account, bundles the functions and synthesizes the stacks. Throws Failure for a configuration that AWS
 * would reject, and for a service that is deployed but no longer configured.
 */
export async function prepare(project: TerraformProject): Promise<Prepared> {
  const { config, sdk, folders, terminal, names } = project;
  if (totalmem() < LEAST_MEMORY) {
    terminal.note("This machine has less than 4 GB of memory: the system may kill Terraform.");
  }
  await checkModelFiles(project);
  terminal.note("Reading the account");
  await refuseMissingSections(project);
  const applied = await readAppliedInputs(project);
  const [discovery, lasting] = await failing(
    Promise.all([discover(config, sdkDiscoveryClients(sdk), applied), lastingNotes(project, config)]),
  );
  await mkdir(folders.plans, { recursive: true, mode: 0o700 });
  await writeFile(join(folders.plans, "discovery.json"), formatDiscovery(discovery), { mode: 0o600 });
  const built = await buildAndSynthesize(project, discovery);
  const files = await compareConfiguration(project, names.bucket());
  const stored = await storedConfiguration(project, names.bucket());
  const deployed = Object.keys(stored).length > 0 ? readDeployed(stored) : undefined;
  const changed = files.write.length + files.remove.length > 0;
  const settings = changed && deployed ? await settingNotes(project, deployed) : [];
  const recipes = await recipeNotes(project);
  const placements = await placementNotes(project);
  const synonyms = await synonymNotes(project);
  const rules = await ruleNotes(project);
  const changes = [...settings, ...recipes, ...placements, ...synonyms, ...rules, ...configurationNotes(files)];
  // What a plan of the deployed configuration notes as well stands; before the first deployment, nobody has read any.
  const before = deployed?.config === undefined ? [] : changed ? await notesBefore(project, deployed.config) : lasting;
  const standing = lasting.filter((note) => before.includes(note));
  return { discovery, ...built, notes: [...lasting.filter((note) => !before.includes(note)), ...changes], standing };
}

/** Returns notes on a configuration that each plan of it has. Throws DiscoveryError for what AWS would refuse. */
async function lastingNotes(project: Project, config: Configuration): Promise<string[]> {
  const { sdk, names } = project;
  const [quotas, ends] = await Promise.all([
    checkQuotas(config, names, sdkQuotas(sdk)),
    endDateNotes(config, {
      now: new Date(),
      lifecycleOf: sdkLifecycles(sdk),
      certificate: sdkDiscoveryClients(sdk).certificate,
    }),
  ]);
  return [...stateNotes(project, config), ...quotas, ...ends, ...rerankNotes(config), ...passageNotes(config)];
}

/** Returns the same for the deployed configuration, which AWS may refuse by now. */
const notesBefore = (project: Project, config: Configuration): Promise<string[]> =>
  lastingNotes(project, config).catch((error: unknown) => {
    if (error instanceof DiscoveryError) return [];
    throw error;
  });

/** Bundles the functions and synthesizes the stacks for a discovered account. */
export async function buildAndSynthesize(
  project: Project,
  discovery: Discovery,
): Promise<Pick<Prepared, "stacks" | "functions">> {
  const { config, folders, terminal } = project;
  terminal.note("Bundling the functions");
  const artifacts = await artifactsOf(project);
  await mkdir(folders.stacks, { recursive: true });
  const { synthesize } = await import("../../stacks/synthesize.ts");
  const stacks = synthesize({
    config,
    discovery,
    artifacts,
    outdir: folders.stacks,
    stateFolder: folders.state,
    ...providerRetries(project),
  });
  const functions = Object.fromEntries(Object.entries(artifacts).map(([name, { sha256 }]) => [name, sha256]));
  return { stacks, functions };
}

/**
 * Returns notes on what Terraform shows only as another hash: the rights of keys, changed settings that are inside a
 * function's bundle, and indexes that they make incompatible.
 */
async function settingNotes(project: Project, { config, rights }: ReturnType<typeof readDeployed>): Promise<string[]> {
  const { config: planned, names } = project;
  const keys = rights
    ? rightsNotes(rights, rightsOf(planned), { gateway: planned.searchGateway !== undefined })
    : ["The deployed api.yaml is not valid: changed rights of keys are not listed"];
  if (config === undefined) {
    return [...keys, "The deployed configuration is not valid: changed settings of the functions are not listed"];
  }
  const before = settingsOf(config, { names });
  const functions = Object.entries(settingsOf(planned, { names }));
  const changes = functions.flatMap(([name, after]) => {
    const old = before[name as FunctionName];
    if (old === undefined) return [];
    return settingChanges(withoutKeys(old), withoutKeys(after)).map((change) => `Settings of ${name}: ${change}`);
  });
  return [...keys, ...changes, ...(await incompatibleIndexNotes(project, config.searchGateway))];
}

/** Keys have notes of their own. */
const withoutKeys = (settings: object) => ({ ...settings, keys: undefined });

async function checkModelFiles({ config, folders }: Project): Promise<void> {
  if (!usesSparseModel(config)) return;
  const problem = await modelFilesProblem(folders.models);
  if (problem !== undefined) throw new Failure(problem);
}

async function artifactsOf({ config, folders, names }: Project) {
  const functions = functionsOf(config);
  const files = await functionFiles(config, { names, models: folders.models.folder });
  return rethrown(BuildError, Failure, async () =>
    buildFunctions({ outdir: folders.functions, functions, files: await withNativeCode(files, functions) }),
  );
}

function stateNotes({ folders, local }: Project, config: Configuration): string[] {
  if (local || config.project.terraform.state.type !== "local") return [];
  return [
    `Terraform's state is on this machine, in ${folders.state}, and contains the API key: protect it like a password, or set terraform.state to s3`,
  ];
}

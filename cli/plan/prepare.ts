import { mkdir, writeFile } from "node:fs/promises";
import { totalmem } from "node:os";
import { join } from "node:path";
import { BuildError } from "../../build/error.ts";
import { buildFunctions } from "../../build/functions.ts";
import { modelFilesProblem } from "../../build/models.ts";
import { functionFiles, functionsOf, usesSparseModel } from "../../build/settings-files.ts";
import { type Discovery, formatDiscovery } from "../../lib/infrastructure/discovery.ts";
import { referencedModels } from "../../lib/infrastructure/endpoints.ts";
import { compareConfiguration, configurationNotes } from "../apply/configuration-objects.ts";
import { discover } from "../discovery/discover.ts";
import { sdkDiscoveryClients } from "../discovery/sdk/sdk-clients.ts";
import { Failure } from "../errors.ts";
import { refuseMissingSections } from "../remove/still-deployed.ts";
import { accountOf, failing, namesIn, providerRetries, type Session } from "../session.ts";
import { readAppliedInputs } from "../state/applied-inputs.ts";
import type { Runner, StackFolder } from "../terraform/stack.ts";

/** A deployment that is ready to plan. */
export interface Prepared {
  discovery: Discovery;
  /** In the order of deployment. */
  stacks: StackFolder[];
  /** Notes for the reader of the plan. */
  notes: string[];
}

/** With less memory the system may kill Terraform and its provider. */
const LEAST_MEMORY = 4e9;

/**
 * Reads the account, bundles the functions and synthesizes the stacks. Throws Failure for a configuration that AWS
 * would reject, and for a service that is deployed but no longer configured.
 */
export async function prepare(session: Session, runner: Runner): Promise<Prepared> {
  const { config, sdk, folders, terminal } = session;
  if (totalmem() < LEAST_MEMORY) {
    terminal.note("This machine has less than 4 GB of memory: the system may kill Terraform.");
  }
  await checkModelFiles(session);
  terminal.note("Reading the account");
  const account = await accountOf(session);
  await refuseMissingSections({ session, runner, account, names: namesIn(session, account) });
  const applied = await readAppliedInputs(session, runner, account);
  const discovery = await failing(discover(config, sdkDiscoveryClients(sdk), applied));
  await mkdir(folders.plans, { recursive: true, mode: 0o700 });
  await writeFile(join(folders.plans, "discovery.json"), formatDiscovery(discovery), { mode: 0o600 });
  terminal.note("Bundling the functions");
  const artifacts = await artifactsOf(session, discovery.account);
  await mkdir(folders.stacks, { recursive: true });
  const { synthesize } = await import("../../stacks/synthesize.ts");
  const stacks = synthesize({
    config,
    discovery,
    artifacts,
    outdir: folders.stacks,
    stateFolder: folders.state,
    ...providerRetries(session),
  });
  const files = await compareConfiguration(session, namesIn(session, discovery.account).bucket());
  return { discovery, stacks, notes: [...notesOf(session), ...configurationNotes(files)] };
}

async function checkModelFiles({ config, folders }: Session): Promise<void> {
  if (!usesSparseModel(config)) return;
  const problem = await modelFilesProblem(folders.models);
  if (problem !== undefined) throw new Failure(problem);
}

async function artifactsOf(session: Session, account: string) {
  const { config, folders } = session;
  try {
    return await buildFunctions({
      outdir: folders.functions,
      functions: functionsOf(config),
      files: await functionFiles(config, { names: namesIn(session, account), models: folders.models.folder }),
    });
  } catch (error) {
    throw error instanceof BuildError ? new Failure(error.message, { cause: error }) : error;
  }
}

function notesOf({ config, folders }: Session): string[] {
  const notes: string[] = [];
  const { searchGateway, project } = config;
  for (const name of searchGateway ? referencedModels(searchGateway) : []) {
    const section = searchGateway?.models[name];
    if (section !== undefined && "instance_type" in section && section.revision === undefined) {
      notes.push(
        `${name} has no revision in model.yaml: a new instance downloads the newest model files, whose vectors may differ from the stored ones`,
      );
    }
  }
  if (project.terraform.state.type === "local") {
    notes.push(
      `Terraform's state is on this machine, in ${folders.state}, and contains the API key: protect it like a password, or set terraform.state to s3`,
    );
  }
  return notes;
}

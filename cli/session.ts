import { join } from "node:path";
import { DiscoveryError } from "../lib/infrastructure/discovery.ts";
import { Failure } from "../lib/platform/failure.ts";
import { type Names, namesOf } from "../lib/platform/naming/names.ts";
import type { Configuration } from "../lib/settings/configuration.ts";
import { loadConfiguration } from "../lib/settings/load.ts";
import type { Context } from "./command.ts";
import { explained } from "./discovery/explain.ts";
import { sdkDiscoveryClients } from "./discovery/sdk/sdk-clients.ts";
import { isLocal, type LocalSession, openLocal } from "./local-account.ts";
import type { Terminal } from "./terminal.ts";
import { findTerraform } from "./terraform/binary.ts";
import type { Runner } from "./terraform/stack.ts";

/** Context of the commands that access an AWS account. */
export interface Session {
  config: Configuration;
  folders: Folders;
  terminal: Terminal;
  env: Context["env"];
  /** Configuration of SDK clients; endpoint and credentials come from the SDK's defaults. */
  sdk: { region: string };
  /** The local account, if this is not one of AWS. */
  local?: LocalSession;
}

/**
 * Reads the configuration and returns a session, with RELEVANCE_LOCAL=1 one of the local account; `starts` starts that
 * account if it does not run. Throws ConfigurationError, and Failure if there is no local account.
 */
export async function openSession(conf: string, context: Context, { starts = false } = {}): Promise<Session> {
  const local = isLocal(context.env) ? await openLocal(conf, context, starts) : undefined;
  const config = local?.config ?? loadConfiguration(conf);
  const { project_name, aws } = config.project;
  return {
    config,
    folders: foldersOf(`${project_name}.${aws.region_name}`, local),
    terminal: context.terminal,
    // Opening the local account has pointed the environment of this process to it.
    env: local ? process.env : context.env,
    sdk: { region: aws.region_name },
    ...(local && { local }),
  };
}

/** Returns the account of the credentials. Throws Failure if they are missing, rejected or belong to another account. */
export async function accountOf({ config, sdk }: Session): Promise<string> {
  const wanted = config.project.aws.account_id;
  const account = await failing(explained("sts:GetCallerIdentity", sdkDiscoveryClients(sdk).account()));
  if (wanted !== undefined && wanted !== account) {
    throw new Failure(
      `The credentials belong to account ${account}, but aws.account_id in project.yaml is ${wanted}: ` +
        "use credentials of that account, or change aws.account_id",
    );
  }
  return account;
}

/** Returns the cloud names of the project. */
export function namesIn({ config, sdk }: Session, account: string): Names {
  const { project_name: project, aws } = config.project;
  return namesOf({ project, account, region: sdk.region, rolePath: aws.role_path });
}

/** Returns the runner of Terraform for the stacks. Throws Failure if Terraform is missing. */
export async function runnerOf({ env, terminal, folders }: Session): Promise<Runner> {
  const terraform = await findTerraform(env);
  return { terraform, env, cacheFolder: folders.providers, note: (line) => terminal.note(line) };
}

/** A session with its account, whose names the project has, and with Terraform. */
export interface Place {
  session: Session;
  runner: Runner;
  account: string;
  names: Names;
}

/** Finds Terraform and the account of a session. Throws Failure if either is missing. */
export async function openPlace(session: Session): Promise<Place> {
  const runner = await runnerOf(session);
  const account = await accountOf(session);
  return { session, runner, account, names: namesIn(session, account) };
}

/** Returns the AWS provider's retry limit: low for a local endpoint, whose errors are permanent. */
export function providerRetries({ env }: Session): { maxRetries?: number } {
  return env.AWS_ENDPOINT_URL ? { maxRetries: 2 } : {};
}

/** Awaits `work` and turns a DiscoveryError into a Failure with its problems. */
export async function failing<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof DiscoveryError)) throw error;
    const [first = "", ...rest] = error.problems;
    const text =
      rest.length === 0 ? first : ["The AWS account does not match the configuration:", ...error.problems].join("\n  ");
    throw new Failure(text, { cause: error });
  }
}

/** The folders that commands use, relative to the working directory. `make clean` deletes `dist`, and the local account. */
interface Folders {
  /** Built functions. */
  functions: string;
  /** Terraform's working folders for deploying. */
  stacks: string;
  /** Terraform's working folders for reading state and removing. */
  removal: string;
  /** Terraform's working folder for removing deletion protection. */
  uninstall: string;
  /** Saved plans, their text, and the discovery they are based on. */
  plans: string;
  /** Providers that Terraform downloads. */
  providers: string;
  /** Local state. */
  state: string;
  /** Tokenizer and weight table of sparse_v3, and their checksums. */
  models: { folder: string; lockFile: string };
}

/**
 * Returns the folders of a project in a region: commands for different ones may run at the same time. Those of the local
 * account share nothing with those of AWS but the providers.
 */
function foldersOf(project: string, local?: LocalSession): Folders {
  const dist = local ? join(local.folder, "dist") : "dist";
  return {
    functions: join(dist, "functions", project),
    stacks: join(dist, "terraform", project),
    removal: join(dist, "terraform", `${project}.removal`),
    uninstall: join(dist, "terraform", `${project}.uninstall`),
    plans: join(dist, "plans", project),
    providers: join(".local", "terraform-providers"),
    state: local?.state ?? ".terraform-state",
    models: local?.models ?? { folder: join("models", "sparse_v3"), lockFile: "models.lock.json" },
  };
}

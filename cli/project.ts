import { join } from "node:path";
import { DiscoveryError } from "../lib/infrastructure/discovery.ts";
import { Failure } from "../lib/platform/failure.ts";
import { type Names, namesOf } from "../lib/platform/naming/names.ts";
import type { Configuration } from "../lib/settings/configuration.ts";
import { loadConfiguration } from "../lib/settings/load.ts";
import { type Context, confOf } from "./command.ts";
import { readDevFile } from "./dev-file.ts";
import { explained } from "./discovery/explain.ts";
import type { SdkConfig } from "./discovery/sdk/config.ts";
import { sdkDiscoveryClients } from "./discovery/sdk/sdk-clients.ts";
import { isLocal, type LocalSession, openLocal } from "./local-account.ts";
import type { Terminal } from "./terminal.ts";
import { findTerraform } from "./terraform/binary.ts";
import type { Runner } from "./terraform/stack.ts";

/** The configuration of a project, and where a command works on it; the account is not known yet. */
export interface Session {
  config: Configuration;
  folders: Folders;
  terminal: Terminal;
  env: Context["env"];
  /** Configuration of SDK clients; in AWS, endpoint and credentials come from the SDK's defaults. */
  sdk: SdkConfig;
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

/** A project in its account, whose cloud names it has. */
export interface Project extends Session {
  account: string;
  names: Names;
}

/** Opens the project of a configuration, in AWS or, if `local`, in the stack of `make dev`. Throws as {@link openSession}. */
export const openProject = async (options: { conf: string; local?: boolean }, context: Context): Promise<Project> =>
  inAccount(await openSession(confOf({ local: false, ...options }), context), options.local);

/** Adds the account of the credentials. Throws Failure if they are missing, rejected or belong to another account. */
export async function inAccount(session: Session, local = false): Promise<Project> {
  const { account, sdk } = local ? await devAccount() : { account: await accountOf(session), sdk: session.sdk };
  return { ...session, sdk, account, names: namesIn({ ...session, sdk }, account) };
}

async function devAccount() {
  const { ACCOUNT_ID, rootOptions } = await import("../packages/local-aws/cloud/account.ts");
  return { account: ACCOUNT_ID, sdk: rootOptions(readDevFile().aws) };
}

async function accountOf({ config, sdk }: Session): Promise<string> {
  const configured = config.project.aws.account_id;
  const account = await failing(explained("sts:GetCallerIdentity", sdkDiscoveryClients(sdk).account()));
  if (configured !== undefined && configured !== account) {
    throw new Failure(
      `The credentials belong to account ${account}, but aws.account_id in project.yaml is ${configured}: ` +
        "use credentials of that account, or change aws.account_id",
    );
  }
  return account;
}

/** Returns the cloud names that the project has in an account. */
export function namesIn({ config, sdk }: Session, account: string): Names {
  const { project_name: project, aws } = config.project;
  return namesOf({ project, account, region: sdk.region, rolePath: aws.role_path });
}

/** A project in its account, with Terraform to read and change its stacks. */
export interface TerraformProject extends Project {
  runner: Runner;
}

/** Finds Terraform and the account. Throws Failure if either is missing. */
export async function withTerraform(session: Session): Promise<TerraformProject> {
  const { env, terminal, folders } = session;
  const terraform = await findTerraform(env);
  const runner = { terraform, env, cacheFolder: folders.providers, note: (line: string) => terminal.note(line) };
  return { ...(await inAccount(session)), runner };
}

/** Returns the AWS provider's retry limit: low for a local endpoint, whose errors are permanent. */
export function providerRetries({ env }: Pick<Session, "env">): { maxRetries?: number } {
  return env.AWS_ENDPOINT_URL ? { maxRetries: 2 } : {};
}

/** Returns the milliseconds between two polls of a job: few for a local endpoint, whose jobs take no minutes. */
export const pollMs = (aws: number, { env, isDev = false }: Pick<Session, "env"> & { isDev?: boolean }): number =>
  isDev || env.AWS_ENDPOINT_URL ? 200 : aws;

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

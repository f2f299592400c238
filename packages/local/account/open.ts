import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PersonalizeClient, paginateListCampaigns } from "@aws-sdk/client-personalize";
import { API_STAGE } from "@relevance/lib/platform/naming/names.ts";
import type { Configuration } from "@relevance/lib/settings/configuration.ts";
import { REGION, rootOptions } from "@relevance/local-aws/cloud/account.ts";
import { cloudEnvironment } from "@relevance/local-aws/cloud/front.ts";
import { type SeededAccount, seedAccount } from "@relevance/local-aws/cloud/seed.ts";
import { generateLockedModelFiles } from "@relevance/local-models/model-files.ts";
import { LocalError } from "@relevance/processes/error.ts";
import { readIfThere, replaceFile } from "@relevance/processes/files.ts";
import { parseDocument } from "yaml";
import { DevUsageError, devOptions } from "../dev/options.ts";
import { localConfiguration, SAMPLE_RESOURCES } from "./configuration.ts";
import { anyDeployed } from "./deployed.ts";
import { gatewayExamples } from "./examples.ts";
import { type DeployedModels, MODELS_PATH } from "./models.ts";
import { type Account, type AccountFiles, discard, endAccount, isRunning, placeIn, recordedAccount } from "./place.ts";
import { findMirror } from "./provider-mirror.ts";
import { startAccount } from "./start.ts";

/** The local account for commands. */
export interface LocalAccount {
  /** The configuration, with the local account's resources instead of the user's. */
  config: Configuration;
  /** Folder of all files of the account, including Terraform's state. */
  folder: string;
  /** Folder of Terraform's state. */
  state: string;
  /** The model files that are deployed. */
  models: { folder: string; lockFile: string };
  /** Returns the URL of a deployed API. */
  apiUrl(id: string): string;
  /** Returns curl commands that use the search gateway at a URL. */
  examples(url: string, key: string): string[];
  /** Registers the models of the configuration under their endpoint names. */
  serveModels(): Promise<void>;
  /** Ends the account if no service is deployed in it. Returns whether it did. */
  endIfUnused(): Promise<boolean>;
}

/** Thrown if there is no local account. */
export class NoAccount extends LocalError {
  override name = "NoAccount";
}

interface OpenOptions {
  conf: string;
  /** Whether to start the account if it is not running. */
  starts: boolean;
  say: (line: string) => void;
}

/** Folder of the account's files. */
const DIR = ".local";

/**
 * Finds or starts the local account and points this process to it, permanently: credentials, profiles and endpoints of
 * the user no longer apply. Throws ConfigurationError, NoAccount, and LocalError with what to do.
 */
export async function openLocalAccount({ conf, starts, say }: OpenOptions): Promise<LocalAccount> {
  const { env } = process;
  const place = placeIn(DIR);
  // Checks the options before starting servers.
  refuseUser(env);
  localConfiguration(conf, SAMPLE_RESOURCES);
  forgetAws(env);

  const account = await findAccount(place, { starts, say });
  Object.assign(env, environmentOf(account, env));
  const region = regionOf(conf);
  const seeded = await seededAccount(place, account, region);
  const { config, replaced } = localConfiguration(conf, {
    account: seeded,
    cluster: account.opensearch.url,
    region,
    campaigns: await campaignsIn(account, region),
  });
  if (starts) say(`Replaced for the local account, or left out: ${replaced.join(", ") || "nothing"}`);
  const models = {
    folder: join(place.folder, "models", "sparse_v3"),
    lockFile: join(place.folder, "models.lock.json"),
  };
  await generateLockedModelFiles(models);
  const state = join(place.folder, "state");
  return {
    config,
    folder: place.folder,
    state,
    models,
    apiUrl: (id) => `${account.apis}/${id}.${region}/${API_STAGE}`,
    examples: (url, key) => gatewayExamples(config, url, key),
    async serveModels() {
      if (!config.searchGateway) return;
      const project = config.project.project_name;
      const sent: DeployedModels = { project, region, models: config.searchGateway.models };
      const answer = await fetch(`${account.endpoint}${MODELS_PATH}`, { method: "POST", body: JSON.stringify(sent) });
      if (!answer.ok) throw new LocalError(`the local account refuses the models: ${await answer.text()}`);
    },
    async endIfUnused() {
      if (anyDeployed(state)) return false;
      await endAccount(place);
      return true;
    },
  };
}

async function findAccount(place: AccountFiles, { starts, say }: Omit<OpenOptions, "conf">): Promise<Account> {
  const recorded = recordedAccount(place);
  if (recorded && (await isRunning(recorded))) return recorded;
  if (recorded) {
    discard(place);
    const gone =
      `The local account (process ${recorded.pid}) has ended, and with it everything that was deployed there: ` +
      `its Terraform state is discarded. Its log is ${place.log}.`;
    if (!starts) throw new NoAccount(`${gone} \`make deploy LOCAL=1\` deploys again.`);
    say(gone);
  }
  if (!starts) throw new NoAccount("Nothing is deployed on this machine: `make deploy LOCAL=1` deploys.");
  say("Starting the local account: an AWS endpoint and an OpenSearch, on this machine alone");
  return startAccount(place, DIR, { env: process.env, say: (line) => say(`  ${line}`) });
}

/**
 * Checks the cluster's environment variables. Throws DevUsageError if they are invalid, or if the cluster requires a
 * user.
 */
function refuseUser(env: NodeJS.ProcessEnv): void {
  const url = devOptions([], { ...env, PORT: "" })?.opensearchUrl;
  if (url?.username) throw new DevUsageError("OPENSEARCH_URL has a user: LOCAL=1 needs a cluster that asks for none");
}

/** Removes environment variables that point to AWS, or that would change how Terraform works with the local state. */
function forgetAws(env: NodeJS.ProcessEnv): void {
  const theirs = /^(AWS_|TF_CLI_ARGS|TF_WORKSPACE$|TF_DATA_DIR$)/;
  for (const name of Object.keys(env)) if (theirs.test(name)) delete env[name];
}

function environmentOf({ endpoint }: Account, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { NO_PROXY: local = "", ...cloud } = cloudEnvironment(endpoint);
  const mirror = findMirror(env);
  const noProxy = [env.NO_PROXY ?? env.no_proxy, local].filter(Boolean).join(",");
  return {
    ...cloud,
    NO_PROXY: noProxy,
    no_proxy: noProxy,
    ...(mirror !== undefined && { TF_PROVIDER_MIRROR: mirror }),
  };
}

/** Returns the region of a configuration that is already validated. */
function regionOf(conf: string): string {
  const region = parseDocument(readFileSync(join(conf, "project.yaml"), "utf8")).getIn(["aws", "region_name"]);
  return typeof region === "string" ? region : REGION;
}

/** Returns the seeded resources of the account in a region. Creates them on first use. */
async function seededAccount(place: AccountFiles, { endpoint }: Account, region: string): Promise<SeededAccount> {
  const file = join(place.folder, `seeded-${region}.json`);
  const known = readIfThere(file);
  if (known !== undefined) return JSON.parse(known) as SeededAccount;
  const seeded = await seedAccount({ endpoint, region });
  replaceFile(file, JSON.stringify(seeded));
  return seeded;
}

async function campaignsIn({ endpoint }: Account, region: string): Promise<string[]> {
  const client = new PersonalizeClient(rootOptions({ endpoint, region }));
  const names: string[] = [];
  for await (const { campaigns = [] } of paginateListCampaigns({ client }, {})) {
    names.push(...campaigns.flatMap(({ name }) => name ?? []));
  }
  return names;
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { DescribeDomainCommand, OpenSearchClient } from "@aws-sdk/client-opensearch";
import * as assert from "uvu/assert";
import { loadConfiguration } from "../../lib/settings/load.ts";
import { ConfigurationError } from "../../lib/settings/problem.ts";
import type { SeededAccount } from "../../packages/local-aws/cloud/seed.ts";
import { generateLockedModelFiles } from "../../packages/local-models/model-files.ts";
import { clientOptions, type TestCloud } from "../fixtures/cloud.ts";
import { type Change, type ConfigurationName, configurationFiles } from "../fixtures/configurations/configurations.ts";
import { type DeployersCloud, deployerOf, type Taken } from "../fixtures/deployer.ts";
import { ROOT } from "../fixtures/env.ts";
import { servedProvider } from "../fixtures/served-provider.ts";
import { requireTerraform } from "../fixtures/terraform.ts";
import { changed } from "../lib/settings/example.ts";

/** The Terraform of this machine. */
export const terraform = requireTerraform();

/** What a run of the command line printed, and its exit code. */
export interface Run {
  out: string;
  err: string;
  code: number | null;
}

/** A configuration in its own working folder, deployed to a cloud by the command line. */
export interface TestProject {
  /** The working folder. */
  folder: string;
  name: string;
  /** Changes the configuration. */
  edit(...changes: readonly Change[]): void;
  /** Makes all later commands use one provider that keeps running, which takes less processor time. */
  serveProvider(): Promise<void>;
  /** Appends to a file of the configuration. */
  append(file: string, text: string): void;
  relevance(...args: string[]): Promise<Run>;
  /** The same, but fails the test unless the command succeeds. */
  succeeds(...args: string[]): Promise<Run>;
  /** The same, without waiting for the end. */
  start(...args: string[]): { kill(signal: NodeJS.Signals): void; output(): string; ended: Promise<Run> };
}

export interface ProjectOptions {
  folder: string;
  cloud: TestCloud;
  account: SeededAccount;
  configuration: ConfigurationName;
  name: string;
  /** The permission that the deployer lacks. */
  taken?: Taken;
  changes?: readonly Change[];
  /** Whether all commands use one provider that keeps running, which is faster than one for each. Default: true. */
  servedProvider?: boolean;
  env?: Readonly<Record<string, string>>;
}

/** Returns the working folder of the provider of a project, as deep below `dist` as the folder of a stack. */
export const servedFolder = (folder: string) => join(folder, "dist/served/beside/the/stacks");

/**
 * Writes an example configuration for a seeded account, with the model files that it may need. Its commands run with
 * exactly the permissions that `relevance permissions` prints, also after edits.
 */
export async function testProject(options: ProjectOptions): Promise<TestProject> {
  const { folder, account, configuration, name } = options;
  const cloud = await deployerOf(options.cloud, name, options.taken);
  const conf = join(folder, "conf");
  mkdirSync(conf, { recursive: true });
  const own = await accountChanges(options.cloud, account, configurationFiles(configuration));
  let files = configurationFiles(configuration, [
    ["project.yaml", ["project_name"], name],
    ...own,
    ...(options.changes ?? []),
  ]);
  const write = () => {
    for (const [file, content] of Object.entries(files)) writeFileSync(join(conf, file), content);
  };
  write();
  await generateLockedModelFiles({
    folder: join(folder, "models/sparse_v3"),
    lockFile: join(folder, "models.lock.json"),
  });
  const permit = permissionsOf(cloud, conf);
  await permit();

  const env = {
    ...process.env,
    ...cloud.env,
    TERRAFORM_BINARY: terraform.binary,
    ...(terraform.mirror !== undefined && { TF_PROVIDER_MIRROR: terraform.mirror }),
    COLUMNS: "120",
    NO_COLOR: "1",
    ...options.env,
  };
  const serveProvider = async () => {
    Object.assign(env, await servedProvider(cloud, servedFolder(folder)));
  };
  if (options.servedProvider !== false) await serveProvider();
  const start: TestProject["start"] = (...args) => {
    const child = spawn(process.execPath, [join(ROOT, "cli/main.ts"), ...args], {
      cwd: folder,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let seen = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (seen += chunk));
    const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]).then(
      ([out, err, [code]]) => ({ out, err, code: code as number | null }),
    );
    return { kill: (signal) => child.kill(signal), output: () => seen, ended };
  };
  return {
    folder,
    name,
    edit(...changes) {
      files = changes.reduce((current, [file, path, value]) => changed(current, file, path, value), files);
      write();
    },
    serveProvider,
    append(file, more) {
      files = { ...files, [file]: `${readFileSync(join(conf, file), "utf8")}${more}` };
      write();
    },
    start,
    async relevance(...args) {
      await permit();
      return start(...args).ended;
    },
    async succeeds(...args) {
      await permit();
      const run = await start(...args).ended;
      assert.is(run.code, 0, `relevance ${args.join(" ")} ended with ${run.code}:\n${run.out}\n${run.err}`);
      return run;
    },
  };
}

/** Returns a function that permits what a configuration folder needs, if it has changed and is valid. */
function permissionsOf(deployer: DeployersCloud, conf: string): () => Promise<void> {
  let permitted = "";
  return async () => {
    try {
      const config = loadConfiguration(conf);
      const files = JSON.stringify(config.files);
      if (files === permitted) return;
      permitted = files;
      await deployer.permit(config);
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
    }
  };
}

/** Returns the changes that replace the example's resources by the account's. */
async function accountChanges(
  cloud: TestCloud,
  account: SeededAccount,
  files: Readonly<Record<string, string>>,
): Promise<Change[]> {
  const { DomainStatus } = await new OpenSearchClient(clientOptions(cloud)).send(
    new DescribeDomainCommand({ DomainName: account.openSearchDomain }),
  );
  const has = (file: string, pattern: RegExp) => pattern.test(files[file] ?? "");
  const changes: [Change, boolean][] = [
    [["project.yaml", ["vpc", "vpc_id"], account.vpcId], true],
    [["project.yaml", ["vpc", "subnet_ids"], account.subnetIds], has("project.yaml", /^ {2}subnet_ids/m)],
    [
      ["project.yaml", ["vpc", "domain_security_group_id"], account.securityGroupId],
      has("project.yaml", /^ {2}domain_security_group_id/m),
    ],
    [["project.yaml", ["opensearch", "domain"], DomainStatus?.Endpoints?.vpc], true],
    [["project.yaml", ["opensearch", "domain_name"], account.openSearchDomain], true],
    [
      ["project.yaml", ["opensearch", "auth", "master_user_secret_arn"], account.basicAuthSecretArn],
      has("project.yaml", /master_user_secret_arn/),
    ],
    [["project.yaml", ["terraform", "state", "bucket"], account.stateBucket], has("project.yaml", /type: s3/)],
    [["api.yaml", ["domain_name_system", "domain_name"], account.domainName], has("api.yaml", /^ {2}domain_name:/m)],
    [["api.yaml", ["domain_name_system", "sub_domain_name"], "search"], has("api.yaml", /^ {2}domain_name:/m)],
    [
      ["api.yaml", ["domain_name_system", "certificate_arn"], account.certificateArn],
      has("api.yaml", /^ {2}domain_name:/m),
    ],
    // moto's zones have ids that AWS does not use, so they are found by name.
    [["api.yaml", ["domain_name_system", "hosted_zone_id"], undefined], has("api.yaml", /hosted_zone_id/)],
  ];
  return changes.filter(([, wanted]) => wanted).map(([change]) => change);
}

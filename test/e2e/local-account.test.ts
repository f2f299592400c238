// The README's lines on trying the deployment, typed in a folder like a clone: by make, with Terraform, a real cluster and
// an account that runs in the background. Each test continues from the state that the previous one left.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import * as assert from "uvu/assert";
import { type Account, isRunning, placeIn } from "../../packages/local/account/place.ts";
import { startAccount } from "../../packages/local/account/start.ts";
import { cloudEnvironment } from "../../packages/local-aws/cloud/front.ts";
import { isOtherAlive, scratchFolder } from "../../packages/processes/scratch.ts";
import { waitFor } from "../../packages/processes/wait.ts";
import { ROOT, TEST_OUTPUT } from "../fixtures/env.ts";
import { clusters, uniqueIndex } from "../fixtures/opensearch.ts";
import { servedProvider, stopServedProvider } from "../fixtures/served-provider.ts";
import { requireTerraform } from "../fixtures/terraform.ts";
import { changesIn } from "../infrastructure/deployment/world.ts";
import { suite } from "../suite.ts";
import { neighbours } from "./neighbours.ts";
import { commandsOf, curl } from "./newcomer.ts";

const test = suite("make deploy LOCAL=1");

const terraform = requireTerraform();
const folder = scratchFolder(TEST_OUTPUT, "local-account");
const place = placeIn(join(folder, ".local"));
const served = join(place.folder, "dist/served/beside/the/stacks");
const [cluster] = await clusters();
const index = uniqueIndex("products");

for (const name of ["Makefile", "package-lock.json", "node_modules", "cli", "local"]) {
  symlinkSync(join(ROOT, name), join(folder, name));
}
cpSync(join(ROOT, "conf"), join(folder, "conf"), { recursive: true });
// Other tests use the shipped name on the same cluster.
const hybrid = join(folder, "conf/hybrid_search.yaml");
writeFileSync(hybrid, readFileSync(hybrid, "utf8").replace("- index: products\n", `- index: ${index}\n`));

/** What a deployment to AWS has left in the same folder. */
const THEIRS = ["my-project/123456789012-eu-west-1/storage.tfstate", "dist/terraform/my-project.eu-west-1/main.tf"].map(
  (name) => join(folder, ".terraform-state", name),
);
for (const file of THEIRS) {
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, "of a deployment to AWS");
}

const env: NodeJS.ProcessEnv = {
  ...process.env,
  OPENSEARCH_URL: cluster?.url,
  TERRAFORM_BINARY: terraform.binary,
  // Nothing of this may have an effect: nothing listens there, and nobody has this profile.
  AWS_PROFILE: "production",
  AWS_ACCESS_KEY_ID: "AKIAIOSFODNN7EXAMPLE",
  AWS_SECRET_ACCESS_KEY: "not-a-secret",
  AWS_ENDPOINT_URL: "http://127.0.0.1:1",
  AWS_ENDPOINT_URL_S3: "http://127.0.0.1:1",
  AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: "true",
  TF_CLI_ARGS_init: "-backend-config=bucket=central",
  NO_COLOR: "1",
  COLUMNS: "120",
};

function start(...args: string[]) {
  // Without -o, make would install the packages again where the lock file is newer.
  const child = spawn("make", ["-o", "node_modules/.bin/node", ...args], {
    cwd: folder,
    env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk));
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]).then(
    ([out, err, [code]]) => ({ out, err, code: code as number | null }),
  );
  // As Ctrl-C in a terminal does: to make and what it runs.
  return { output: () => output, interrupt: () => process.kill(-(child.pid ?? 0), "SIGINT"), ended };
}

const make = (...args: string[]) => start(...args).ended;

async function succeeds(...args: string[]) {
  const run = await make(...args);
  assert.is(run.code, 0, `make ${args.join(" ")} ended with ${run.code}:\n${run.out}\n${run.err}`);
  return run;
}

let account: Account;

test.before(async () => {
  // As the first command does. The test starts it itself to have one provider for all commands, which saves time.
  account = await startAccount(place, join(folder, ".local"), {
    env: { ...env, ...cloudEnvironment("http://127.0.0.1:1") },
    say: () => {},
  });
  Object.assign(env, await servedProvider({ env: cloudEnvironment(account.endpoint) }, served));
});
test.after(async () => {
  await make("clean");
  await fetch(`${cluster?.url}/${index},${threads}`, { method: "DELETE" });
  rmSync(folder, { recursive: true, force: true });
});

let out = "";
const threads = uniqueIndex("threads");
const others = neighbours({ folder, index: threads, succeeds, make });

test("deploys both services, and prints URLs and keys", async () => {
  const run = await succeeds("deploy", "LOCAL=1", "ARGS=--yes");
  ({ out } = run);
  assert.match(run.err, "Replaced for the local account, or left out: project.yaml vpc.vpc_id, ");
  for (const service of ["search-gateway", "recommendation"]) {
    assert.match(
      out,
      new RegExp(`^${service}\n {2}URL {6}${account.apis}/\\w+\\.eu-west-1/v1\n {2}API key {2}\\S{20,} `, "m"),
    );
  }
  assert.match(run.err, /The gateway works: the cluster answers with version \d/);
  assert.match(run.err, "RELEVANCE_LOCAL=1 npx relevance status");
  // A first version of a document without entries changes nothing.
  assert.not.match(run.err, "The order of the placements");
});

test("the printed commands store a document and find it by words and by meaning", () => {
  const commands = commandsOf(out);
  const [created, stored, ...found] = commands.map(curl);
  assert.is(commands.length, 4);
  assert.is(created.acknowledged, true);
  assert.is(stored.index_response.errors, false, JSON.stringify(stored));
  for (const { search_response, degraded } of found) {
    assert.equal(
      search_response.hits.hits.map(({ _id }: { _id: string }) => _id),
      ["1"],
    );
    assert.is(degraded, undefined);
  }
});

test("status reads the account", async () => {
  const { out: status } = await succeeds("status", "LOCAL=1", "ARGS=--json");
  assert.is(JSON.parse(status).dataset_group.status, "ACTIVE");
});

others.deployed(test);

test("a second plan has one line for one change of conf/, and nothing else", async () => {
  appendFileSync(join(folder, "conf/api.yaml"), "\nlogging:\n  retention_days: 30\n");
  const run = await succeeds("plan", "LOCAL=1");
  assert.equal(changesIn(run.out), ["~ aws_s3_bucket_lifecycle_configuration.bucket-lifecycle"]);
});

test("the removal of one deployment leaves the others working", async () => {
  await succeeds("uninstall", "LOCAL=1", "DESTROY_INFRA=false", "ARGS=--yes");
  await others.keepsEndpoints();
  await succeeds("destroy", "LOCAL=1", "DESTROY_INFRA=false", "ARGS=--yes");
  await others.removeProject();
  const { out: removed } = await succeeds("destroy", "LOCAL=1", "DESTROY_INFRA=true", "ARGS=--yes");
  assert.ok(changesIn(removed).includes("- aws_vpc_endpoint.endpoint-sagemaker-runtime"), removed);
});

test("the removal of the last service ends the account with all that it had", async () => {
  assert.ok(await isRunning(account));
  const last = await others.removeRegion();
  assert.match(last.err, "Removed.\nNo service is left, so the local account has ended");
  assert.not(await isRunning(account));
  assert.not(existsSync(place.folder));
  await stopServedProvider(served);
  for (const file of THEIRS) assert.is(readFileSync(file, "utf8"), "of a deployment to AWS");
});

test("after the account was killed, the next command says so and discards its state", async () => {
  const killed = await startAccount(place, join(folder, ".local"), { env, say: () => {} });
  mkdirSync(join(place.folder, "state"));
  process.kill(killed.pid, "SIGKILL");
  await waitFor(async () => !(await isRunning(killed)), { what: "the account to end", timeoutMs: 30_000 });
  const status = await make("status", "LOCAL=1");
  assert.match(
    status.err,
    `The local account (process ${killed.pid}) has ended, and with it everything that was deployed`,
  );
  assert.is(status.code, 2);
  assert.not(existsSync(place.folder));
  const destroy = await succeeds("destroy", "LOCAL=1", "DESTROY_INFRA=true");
  assert.match(destroy.err, "Nothing is deployed on this machine");
});

test("Ctrl-C while the account starts leaves no process", async () => {
  const run = start("deploy", "LOCAL=1");
  const begun = async () => run.output().includes("Starting the local account") && existsSync(place.lock);
  const early = run.ended.then(({ err }): never => {
    throw new Error(`it ended before it was interrupted:\n${err}`);
  });
  early.catch(() => {});
  await waitFor(begun, { what: "the account to start", timeoutMs: 120_000, abort: early });
  const pid = Number(readFileSync(place.lock, "utf8").split(" ")[0]);
  run.interrupt();
  assert.is.not((await run.ended).code, 0);
  await waitFor(async () => !(existsSync(place.lock) && isOtherAlive(pid)), { what: "it to end", timeoutMs: 60_000 });
});

test.run();

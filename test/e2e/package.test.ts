import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, globSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { GetItemCommand } from "@aws-sdk/client-dynamodb";
import * as assert from "uvu/assert";
import { COMMANDS } from "../../cli/commands.ts";
import { namesOf } from "../../lib/platform/naming/names.ts";
import { localClients } from "../../packages/local/dev/clients.ts";
import { type DevProcess, startDev } from "../../packages/local/test/dev/dev-process.ts";
import { ACCOUNT_ID, REGION } from "../../packages/local-aws/cloud/account.ts";
import { ROOT } from "../fixtures/env.ts";
import { suite } from "../suite.ts";
import { type Answer, commandsOf, curl } from "./newcomer.ts";
import { installPacked, PACKAGE, pack, packAs, startOf, updateOf } from "./packed.ts";

/** The tarball from an empty folder to the first answer. */
const test = suite("package");

const folder = realpathSync(mkdtempSync(join(tmpdir(), "package-")));
// Where the tests run as root, OpenSearch runs as another user.
chmodSync(folder, 0o755);
const project = join(folder, "my-search");
const home = join(project, "node_modules", PACKAGE);
const tarball = pack(folder);
const START = ["npx", "relevance", "dev"];
const names = namesOf({ project: "demo", account: ACCOUNT_ID, region: REGION });
let dev: DevProcess | undefined;

test.after(async () => {
  await stopProject();
  rmSync(folder, { recursive: true });
});

const manifest = () => JSON.parse(readFileSync(join(project, "package.json"), "utf8"));

/** Runs a command of the package in a folder. */
function relevance(cwd: string, ...args: string[]) {
  const { stdout, stderr, status } = spawnSync("node_modules/.bin/relevance", args, { cwd, encoding: "utf8" });
  assert.is(status, 0, stdout + stderr);
  return stdout;
}

/** Runs commands of the guide, in a folder and those to which they change; npm installs from what is here. */
function runGuide(commands: readonly string[], cwd: string): string {
  let output = "";
  for (const command of commands) {
    const [program, ...words] = command.split(" ");
    if (program === "cd") cwd = join(cwd, words.join(" "));
    else if (command === "npm install") assert.equal(Object.keys(manifest().dependencies), [PACKAGE]);
    else if (command.startsWith("npm install ")) {
      const file = words.at(-1) ?? "";
      // npm takes other names for those of repositories.
      assert.match(file, /^\.\.?\//);
      installPacked(resolve(cwd, file), cwd);
    } else output += execFileSync("sh", ["-c", command], { cwd, encoding: "utf8" });
  }
  return output;
}

test("is installed and started by the commands of the guide", () => {
  const printed = runGuide(startOf(), folder);
  assert.match(printed, /\n {2}npm install\n {2}npx relevance dev\n/);
  assert.ok(existsSync(join(project, manifest().dependencies[PACKAGE].slice("file:".length))));
  assert.match(readFileSync(join(project, "conf/project.yaml"), "utf8"), /^project_name: my-search$/m);
});

test("says in which folders the local stack cannot run", () => {
  const { stdout, stderr } = spawnSync("node_modules/.bin/relevance", ["init", "my shop"], {
    cwd: project,
    encoding: "utf8",
  });
  assert.match(stdout, /^ {2}cd 'my shop'$/m);
  assert.match(stderr, /OpenSearch cannot run in a folder with a space in its path/);
  rmSync(join(project, "my shop"), { recursive: true });
});

test("holds JavaScript alone, whose imports are all in the package", () => {
  const names = execFileSync("tar", ["-tzf", tarball], { encoding: "utf8" }).split("\n");
  assert.equal(
    names.filter((name) => /\.tsx?$|\/test\/|node_modules/.test(name)),
    [],
  );
  const absent = globSync("**/*.{js,mjs}", { cwd: home }).flatMap((file) => {
    const code = readFileSync(join(home, file), "utf8");
    const imported = [...code.matchAll(/(?:from|import\s*\(|import|new URL\()\s*"(\.[^"$]+\.\w+)"/g)].map(
      ([, path = ""]) => path,
    );
    const wrong = imported.filter((path) => !existsSync(join(home, dirname(file), path)));
    return wrong.map((path) => `${file}: ${path}`);
  });
  assert.equal(absent, []);
});

test("every command of the package loads", () => {
  const files = Object.keys(COMMANDS).map((words) => join(home, "cli/commands", `${words.replaceAll(" ", "-")}.js`));
  const script = `for (const file of ${JSON.stringify(files)}) await import(file);`;
  execFileSync("node_modules/.bin/node", ["--input-type=module", "-e", script], { cwd: project });
});

test("the package has the shop page with the packages that it needs", () => {
  const options = { demo: true, key: "k", search: "http://127.0.0.1:9", recommendation: "http://127.0.0.1:9" };
  const script = `
    const { startShop } = await import(${JSON.stringify(join(home, "packages/local/dev/shop.js"))});
    const { url, stop } = await startShop(${JSON.stringify(options)});
    console.log(await (await fetch(new URL("/shop.js", url))).text());
    await stop();`;
  const args = ["--input-type=module", "-e", script];
  const page = execFileSync("node_modules/.bin/node", args, { cwd: project, encoding: "utf8", maxBuffer: 10_000_000 });
  assert.equal([page.includes(options.search), page.includes("import.meta.env")], [true, false]);
});

test("validates, bundles and synthesizes in the project's folder, offline", () => {
  assert.match(relevance(project, "validate", "--conf", "conf.local"), /conf\.local is valid/);
  const node = (program: string, ...args: string[]) =>
    execFileSync("node_modules/.bin/node", [join(home, program), ...args], {
      ...{ cwd: project, env: { ...process.env, CONF: "conf.local" } },
    });
  node("build/main.js", "--conf", "conf.local", "--local");
  node("stacks/main.js");
  const stacks = globSync("cdktf.out/stacks/*/cdk.tf.json", { cwd: project });
  assert.is(stacks.length, 6);
  const api = readFileSync(join(project, "cdktf.out/stacks/search-gateway/cdk.tf.json"), "utf8");
  assert.match(api, /dist\/functions\/api-router\.zip/);
  assert.equal(globSync("{dist,.local,cdktf.out}", { cwd: home }), []);
});

test("make names the targets that people know", () => {
  const printed = execFileSync("make", { cwd: project, encoding: "utf8" });
  const own = execFileSync("make", { cwd: ROOT, encoding: "utf8" });
  const targets = ["install", "dev", "demo-train", "plan", "deploy", "destroy", "uninstall", "train", "status"];
  for (const target of targets) {
    const [line = ""] = own.match(new RegExp(`^${target} .*`, "m")) ?? [];
    assert.ok(line && printed.includes(line), target);
  }
});

/**
 * Starts the local stack in the project, with an OpenSearch of its own. Returns what runs the commands that it prints, what it
 * stores, and the console's address.
 */
const startProject = async () => {
  const dir = join(project, ".local");
  const env = { RELEVANCE_INSTALL_DIR: join(ROOT, ".local") };
  dev = startDev(dir, ["--no-demo"], env, { command: START, cwd: project });
  const { recommendation, aws, console } = await dev.ready();
  assert.ok(recommendation);
  const printed = commandsOf(dev.output());
  const run = (path: string) => curl(printed.find((command) => command.includes(path)));
  const found = () => {
    const { search_response, degraded }: Answer = run("/application/hybrid-search");
    return [search_response.hits.hits.map(({ _id }) => _id), degraded];
  };
  // Without a training there is nothing to recommend.
  const item = async () => {
    const { dynamo } = localClients({ endpoint: aws.endpoint, region: REGION });
    const { Item } = await dynamo.send(
      new GetItemCommand({ TableName: names.table("items"), Key: { ITEM_ID: { S: "B1" } } }),
    );
    return Item?.TITLE?.S;
  };
  return { recommendation, run, found, item, console };
};

/** Stops it as Ctrl-C does. */
const stopProject = async () => {
  const stopped = dev;
  dev = undefined;
  stopped?.interrupt();
  await stopped?.exited;
};

test("dev starts in the project, and its commands lead to the first hybrid answer", async () => {
  const { recommendation, run, found, item, console } = await startProject();
  assert.is(run("/raw-backend/").acknowledged, true);
  assert.is(run("/application/bulk").index_response.errors, false);
  assert.equal(found(), [["my-book"], undefined]);
  const { status } = await fetch(`${recommendation.url}/update-items`, {
    method: "POST",
    headers: { "x-api-key": recommendation.api_key, "content-type": "application/json" },
    body: JSON.stringify({
      items: [{ ITEM_ID: "B1", TITLE: "Letters", AUTHOR: "Ada Lind", CATEGORIES: "Fantasy" }],
    }),
  });
  assert.equal([status, await item()], [200, "Letters"]);
  const page = await fetch(new URL("/console.js", console.url));
  assert.is(page.status, 200);
});

test("is updated by the commands of the guide, and dev starts again with its data", async () => {
  await stopProject();
  const kept = readFileSync(join(project, "conf/project.yaml"), "utf8");
  packAs("0.4.0", tarball);
  runGuide(updateOf(), project);
  assert.is(relevance(project, "--version").trim(), "0.4.0");
  assert.equal(readdirSync(join(project, "vendor")), ["relevance-cli-0.4.0.tgz"]);
  assert.is(manifest().dependencies[PACKAGE], "file:vendor/relevance-cli-0.4.0.tgz");
  assert.is(readFileSync(join(project, "conf/project.yaml"), "utf8"), kept);

  const { found, item } = await startProject();
  assert.equal([...found(), await item()], [["my-book"], undefined, "Letters"]);
});

test.run();

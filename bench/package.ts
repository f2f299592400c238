import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { startDev } from "../packages/local/test/dev/dev-process.ts";
import { pack, startOf } from "../test/e2e/packed.ts";
import { type Benchmark, load, type Row } from "./result.ts";

/** The version that is installed before this one, to be updated. */
const BEFORE = "0.0.1";

/** Measures the way from the tarball to the first hybrid answer, by the guide's commands, and an update. */
export const packageBenchmark: Benchmark = {
  async run(): Promise<Row[]> {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "package-bench-")));
    // For root, OpenSearch runs as another user.
    chmodSync(folder, 0o755);
    try {
      const tarball = pack(folder);
      const { installing, starting, size } = await fromTarball(folder, earlier(tarball));
      const updating = await update(folder, tarball);
      const again = await firstHybridAnswer(join(folder, "my-search"));
      return [
        row("the package, from the tarball to the first hybrid answer", installing + starting, 600, [
          `${installing.toFixed(0)} s for npm (${size})`,
          `${starting.toFixed(0)} s for the first start, which installs OpenSearch and the AWS endpoint`,
        ]),
        row("an update of the package, to the next hybrid answer", updating + again, 300, [
          `${updating.toFixed(0)} s for npm`,
          `${again.toFixed(0)} s for the start`,
        ]),
      ];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function row(what: string, seconds: number, budget: number, parts: readonly string[]): Row {
  const reached = `${seconds.toFixed(0)} s`;
  return { what, budget: `≤ ${budget} s`, reached, kept: seconds <= budget, note: `${parts.join(", ")}; ${load()}` };
}

/** Packs the same files as an earlier version, and returns that tarball's path. */
function earlier(tarball: string): string {
  const folder = join(tarball, "../earlier");
  mkdirSync(folder);
  execFileSync("tar", ["-xzf", tarball, "-C", folder]);
  const file = join(folder, "package/package.json");
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), version: BEFORE }));
  execFileSync("npm", ["pack", "--silent", "--pack-destination", join(folder, "..")], { cwd: join(folder, "package") });
  return join(folder, "..", basename(tarball).replace(/\d.*(?=\.tgz)/, BEFORE));
}

async function fromTarball(folder: string, tarball: string) {
  const begun = performance.now();
  let cwd = folder;
  for (const command of startOf()) {
    const [, target] = /^cd (.+)$/.exec(command) ?? [];
    if (target !== undefined) cwd = join(cwd, target);
    else run(command.replace(/\S+\.tgz/, `../${basename(tarball)}`), cwd);
  }
  const installing = (performance.now() - begun) / 1000;
  const size = run("du -sh node_modules", cwd).split("\t")[0];
  return { installing, size, starting: await firstHybridAnswer(cwd) };
}

async function update(folder: string, tarball: string): Promise<number> {
  const project = join(folder, "my-search");
  const begun = performance.now();
  run(`npm install ../${basename(tarball)}`, project);
  const version = run("npx relevance --version", project).trim();
  if (version === BEFORE) throw new Error("the update changed nothing");
  return (performance.now() - begun) / 1000;
}

const run = (command: string, cwd: string) =>
  execFileSync("sh", ["-c", command], { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });

/** Starts the local stack as the guide does, and returns the seconds until a search by words and meaning is answered. */
async function firstHybridAnswer(project: string): Promise<number> {
  const begun = performance.now();
  const command = ["npx", "relevance", "dev"];
  const dev = startDev(join(project, ".local"), [], {}, { command, cwd: project, standIns: false });
  try {
    const { search } = await dev.ready();
    const queries = [
      { match: { description: "how empires fall" } },
      { knn: { description_dense: { vector: "[description_dense]", k: 50 } } },
    ];
    const answer = await fetch(`${search.url}/application/hybrid-search`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": search.api_key },
      body: JSON.stringify({
        ...{ index: "books", search_query: "how empires fall" },
        search_request_template: { size: 1, query: { hybrid: { queries } } },
      }),
    });
    const { search_response } = (await answer.json()) as { search_response?: { hits: { hits: unknown[] } } };
    if (search_response?.hits.hits.length !== 1) throw new Error(`hybrid search: ${answer.status}`);
    return (performance.now() - begun) / 1000;
  } finally {
    dev.interrupt();
    await dev.exited;
  }
}

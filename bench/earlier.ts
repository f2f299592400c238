import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ROOT } from "../test/fixtures/env.ts";
import { type Benchmark, load, median, ms, type Row, times } from "./result.ts";

/** The commits before what changed every call: one resolution of a name, and the pipeline of a page. */
const COMMITS = (process.env.BENCH_COMMITS ?? "37887210^,f274bf0d^").split(",");
/** Room for what the processor does beside the calls. */
const BUDGET = 1.05;
const ROUNDS = 24;
const WARM_UP = 6;
/** Calls of one round. */
const OPERATIONS = { search: 200, "hybrid search": 150, "bulk of 100": 25, raw: 200 };
const WORKER = "earlier-worker.ts";

/** Compares the processor time of the gateway's calls with earlier commits, in turns, all with today's packages. */
export const earlierBenchmark: Benchmark = {
  name: "earlier",
  async run(): Promise<Row[]> {
    const rows: Row[] = [];
    for (const commit of COMMITS) rows.push(...(await compared(commit)));
    return rows;
  },
};

async function compared(commit: string): Promise<Row[]> {
  const workers: Worker[] = [];
  const tree = treeOf(commit);
  try {
    tree.make();
    // This tree first: it installs the OpenSearch of both.
    for (const root of [ROOT, tree.root]) workers.push(await startWorker(root));
    const [second, first] = workers as [Worker, Worker];
    const rows: Row[] = [];
    for (const [operation, calls] of Object.entries(OPERATIONS)) {
      const took = new Map([first, second].map((side) => [side, [] as number[]]));
      for (let round = -WARM_UP; round < ROUNDS; round += 1) {
        for (const side of round % 2 === 0 ? [first, second] : [second, first]) {
          const each = await side.run(`${operation} ${calls}`);
          if (round >= 0) took.get(side)?.push(each);
        }
      }
      const [then = [], now = []] = [first, second].map((side) => took.get(side));
      const ratio = median(now.map((each, round) => each / (then[round] ?? Number.NaN)));
      rows.push({
        what: `processor time of a ${operation}, compared with commit ${tree.title}`,
        budget: `≤ ${BUDGET}x`,
        reached: times(ratio),
        kept: ratio <= BUDGET,
        kind: `${commit} ${operation}`,
        note:
          `median ratio of ${ROUNDS} rounds of ${calls} calls, the two in turn, one call at a time, each with a cluster of its own; with ` +
          `the stand-ins of the models: ${ms(median(then))} before, ${ms(median(now))} after (medians); ${load()}`,
      });
    }
    return rows;
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
    tree.discard();
  }
}

const git = (...args: string[]) => execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();

/** Returns what makes a tree of a commit in which its gateway can run, and the commit's name and title. */
function treeOf(commit: string) {
  const hash = git("rev-parse", "--short", commit);
  const root = join(ROOT, ".local/earlier", hash);
  const title = `${hash} (${git("log", "-1", "--format=%s", hash)})`;
  const discard = () => {
    rmSync(root, { recursive: true, force: true });
    git("worktree", "prune");
  };
  const make = () => {
    discard();
    git("worktree", "add", "--quiet", "--detach", root, hash);
    mkdirSync(join(root, ".local"));
    for (const shared of ["node_modules", ".local/opensearch-2.19.6"])
      symlinkSync(join(ROOT, shared), join(root, shared));
    copyFileSync(join(ROOT, "bench", WORKER), join(root, "bench", WORKER));
  };
  return { root, title, make, discard };
}

interface Worker {
  /** Returns the milliseconds of processor time a call. */
  run(line: string): Promise<number>;
  stop(): Promise<void>;
}

async function startWorker(root: string): Promise<Worker> {
  const child = spawn(process.execPath, [join(root, "bench", WORKER)], {
    cwd: root,
    stdio: ["pipe", "pipe", "inherit"],
    env: { ...process.env, BENCH_CHILD: undefined },
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await lines.next();
    if (done) throw new Error(`${root}/bench/${WORKER} ended early`);
    return String(value);
  };
  while ((await next()) !== "ready");
  return {
    async run(line) {
      child.stdin.write(`${line}\n`);
      return Number(await next());
    },
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}

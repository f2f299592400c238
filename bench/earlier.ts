import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ROOT } from "../test/fixtures/env.ts";
import { startCluster } from "./gateway-setup.ts";
import { type Benchmark, load, median, ms, type Row, times } from "./result.ts";

/**
 * What changed every call, as `BEFORE..AFTER`; without AFTER it is this tree. By default the merge of the one resolution of
 * names, and all since the commit before it: the official client of OpenSearch and the pipeline of pages came later.
 */
const CHANGES = (process.env.BENCH_COMMITS ?? "e262b8d9^..e262b8d9,e262b8d9^").split(",");
/** Room for what the processor does beside the calls. */
const BUDGET = 1.05;
/** Pairs of processes: two processes with the same code differ by more than the code of two commits. */
const PAIRS = Number(process.env.BENCH_PAIRS ?? 8);
const ROUNDS = 8;
/** A call of the raw backend takes a third of its first time after 1,500 calls, when it is compiled. */
const WARM_UP = 8;
/** Calls of one round. Bulk is last, since the collections of its garbage would count for what comes after it. */
const OPERATIONS = { search: 200, "hybrid search": 150, raw: 200, "bulk of 100": 8 };
const WORKER = "earlier-worker.ts";

/** Compares the processor time of the gateway's calls before and after a change, in turns, all with today's packages. */
export const earlierBenchmark: Benchmark = {
  async run(): Promise<Row[]> {
    const rows: Row[] = [];
    for (const change of CHANGES) rows.push(...(await compared(change)));
    return rows;
  },
};

async function compared(change: string): Promise<Row[]> {
  const cluster = await startCluster();
  const [from = "", to] = change.split("..");
  const before = treeOf(from);
  const after = to === undefined ? THIS_TREE : treeOf(to);
  try {
    before.make();
    after.make();
    const pairs: Took[] = [];
    for (let pair = 0; pair < PAIRS; pair += 1) pairs.push(await playPair(cluster.url, [before.root, after.root]));
    return Object.keys(OPERATIONS).map((operation) => {
      const ratios = pairs.map(({ [operation]: { before, after } = NOTHING }) => after / before);
      const ratio = median(ratios);
      const [took, now] = (["before", "after"] as const).map((side) =>
        median(pairs.map((pair) => pair[operation]?.[side] ?? 0)),
      );
      return {
        what: `processor time of a ${operation} by ${after.title}, compared with ${before.title}`,
        budget: `≤ ${BUDGET}x`,
        reached: times(ratio),
        kept: ratio <= BUDGET,
        kind: `${change} ${operation}`,
        note:
          `median of ${PAIRS} pairs of fresh processes (${ratios.map((one) => one.toFixed(2)).join(", ")}), each of ${ROUNDS} rounds in turn, ` +
          `one call at a time, with one cluster and the stand-ins of the models: ${ms(took ?? 0)} before, ${ms(now ?? 0)} after; ${load()}`,
      };
    });
  } finally {
    await cluster.stop();
    before.discard();
    after.discard();
  }
}

const THIS_TREE = { root: ROOT, title: "this tree", make: () => undefined, discard: () => undefined };

/** Milliseconds of processor time a call of each operation, before and after. */
type Took = Readonly<Record<string, { before: number; after: number }>>;
const NOTHING = { before: Number.NaN, after: Number.NaN };

/** Plays all operations by a process of each tree, in turns. */
async function playPair(url: string, roots: readonly [string, string]): Promise<Took> {
  const workers: Worker[] = [];
  try {
    for (const root of roots) workers.push(await startWorker(root, url));
    const took: Record<string, { before: number; after: number }> = {};
    for (const [operation, calls] of Object.entries(OPERATIONS)) {
      const times = workers.map((worker) => ({ worker, each: [] as number[] }));
      for (let round = -WARM_UP; round < ROUNDS; round += 1) {
        for (const { worker, each } of round % 2 === 0 ? times : times.toReversed()) {
          const one = await worker.run(`${operation} ${calls}`);
          if (round >= 0) each.push(one);
        }
      }
      const [before = 0, after = 0] = times.map(({ each }) => median(each));
      took[operation] = { before, after };
    }
    return took;
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
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
    symlinkSync(join(ROOT, "node_modules"), join(root, "node_modules"));
    copyFileSync(join(ROOT, "bench", WORKER), join(root, "bench", WORKER));
  };
  return { root, title, make, discard };
}

interface Worker {
  /** Returns the milliseconds of processor time a call. */
  run(line: string): Promise<number>;
  stop(): Promise<void>;
}

async function startWorker(root: string, url: string): Promise<Worker> {
  const child = spawn(process.execPath, [join(root, "bench", WORKER), url], {
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

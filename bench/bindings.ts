import { readFileSync } from "node:fs";
import { join } from "node:path";
import { BINDINGS, differences, recordChecked } from "../test/bindings/bindings.ts";
import { ROOT } from "../test/fixtures/env.ts";
import type { Benchmark, Row } from "./result.ts";

/** Type-checks and synthesizes the stacks with other bindings of Terraform, and compares the JSON. */
export const bindingsBenchmark: Benchmark = {
  async run(): Promise<Row[]> {
    const rows = BINDINGS.map((name): Row => {
      const found = differences(name);
      const { dependencies } = JSON.parse(readFileSync(join(ROOT, "test/bindings", name, "package.json"), "utf8"));
      return {
        what: Object.entries(dependencies)
          .map(([one, version]) => `${one} ${version}`)
          .join(", "),
        budget: "no difference",
        reached: `${found.length} differences`,
        kept: found.length === 0,
        note: found.slice(0, 3).join("; ") || "types, and the JSON of six configurations",
      };
    });
    if (rows.every(({ kept }) => kept)) recordChecked();
    return rows;
  },
};

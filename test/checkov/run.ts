/**
 * Checks the plans of both services with every option: `node test/checkov/run.ts`, part of `make check`. With
 * `--install` it first creates the virtual environment that it needs (about 30 s and 300 MB). Without one, or without
 * Terraform, it says that it checks nothing.
 */
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "../../packages/processes/scratch.ts";
import { TEST_OUTPUT } from "../fixtures/env.ts";
import { findTerraform } from "../fixtures/terraform.ts";
import { CHECKOV_FOLDER, findingsIn, isInstalled, problemsOf, readSuppressions } from "./checkov.ts";
import { allOptionsPlans } from "./plans.ts";

if (process.argv.includes("--install")) install();
process.exitCode = await main();

function install(): void {
  execFileSync("python3", ["-m", "venv", CHECKOV_FOLDER], { stdio: "inherit" });
  const requirements = join(import.meta.dirname, "requirements.txt");
  const pip = join(CHECKOV_FOLDER, "bin", "pip");
  execFileSync(
    pip,
    ["install", "--quiet", "--no-compile", "--no-deps", "--require-hashes", "--requirement", requirements],
    {
      stdio: "inherit",
    },
  );
}

async function main(): Promise<number> {
  const terraform = findTerraform();
  if (!isInstalled() || !terraform) {
    const missing = terraform ? "checkov (node test/checkov/run.ts --install)" : "Terraform";
    console.error(`NOT CHECKED: the plan's security, for want of ${missing}`);
    return process.env.CI ? 1 : 0;
  }
  const folder = scratchFolder(TEST_OUTPUT, "checkov");
  try {
    const findings = await findingsIn(await allOptionsPlans(terraform, folder));
    const suppressions = readSuppressions();
    const problems = problemsOf(findings, suppressions);
    for (const problem of problems) console.error(problem);
    console.log(`checkov: ${problems.length} problems, ${suppressions.length} rules not kept for a written reason`);
    return problems.length === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

import { execFile } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { MissingTool } from "../../local/process/error.ts";
import { ROOT } from "../fixtures/env.ts";

/** Where `node test/checkov/run.ts --install` puts it. */
export const CHECKOV_FOLDER = join(ROOT, ".local", "venv-checkov");

const BINARY = join(CHECKOV_FOLDER, "bin", "checkov");

/** A rule that a resource of a plan breaks. */
export interface Finding {
  rule: string;
  /** As in `aws_lambda_function.api-router`. */
  address: string;
  name: string;
}

/** A rule that is not kept on purpose, as a comment beside the resource says. */
export interface Suppression {
  rule: string;
  /** An address, or a type; `*` stands for any characters. */
  resources: string;
  reason: string;
  file: string;
}

/** Whether checkov is installed on this machine. */
export const isInstalled = (): boolean => existsSync(BINARY);

/** Throws MissingTool when it is not; the runner starts no file that imports this module without it. */
export function requireCheckov(): void {
  if (!isInstalled()) throw new MissingTool("checkov is not installed: node test/checkov/run.ts --install");
}

interface Report {
  results: { failed_checks: { check_id: string; check_name: string; resource: string }[] };
  summary: { passed: number; failed: number; parsing_errors: number };
}

/** What checkov finds in plans (`terraform show -json`). Throws when it cannot read one, or checks nothing. */
export async function findingsIn(plans: readonly string[]): Promise<Finding[]> {
  const files = plans.flatMap((plan) => ["-f", plan]);
  const options = [
    "--framework",
    "terraform_plan",
    "--compact",
    "--quiet",
    "--skip-download",
    "-o",
    "json",
    "--soft-fail",
  ];
  const { stdout } = await promisify(execFile)(BINARY, [...files, ...options], {
    maxBuffer: 64 * 1024 * 1024,
    // Findings are all that leaves this machine's process: no version check, no upload.
    env: { ...process.env, LOG_LEVEL: "ERROR", BC_SKIP_MAPPING: "TRUE" },
  });
  const parsed: Report | Report[] = JSON.parse(stdout);
  // Without a plan in it there is a summary alone.
  const reports = [parsed].flat().filter((report) => "results" in report);
  for (const { summary } of reports) {
    if (summary.parsing_errors > 0)
      throw new Error(`checkov cannot read ${summary.parsing_errors} of ${plans.join(", ")}`);
  }
  if (!reports.some(({ summary }) => summary.passed + summary.failed > 0))
    throw new Error("checkov has checked nothing");
  return reports.flatMap(({ results }) =>
    results.failed_checks.map(({ check_id, check_name, resource }) => ({
      rule: check_id,
      address: resource,
      name: check_name,
    })),
  );
}

/** The comments `// checkov:skip=RULE RESOURCES: reason` of the stacks. Throws for one that gives no reason. */
export function readSuppressions(root: string = ROOT): Suppression[] {
  return globSync("stacks/**/*.ts", { cwd: root }).flatMap((file) =>
    [...readFileSync(join(root, file), "utf8").matchAll(/checkov:skip=(.*)$/gm)].map(([, text = ""]) => {
      const [, rule, resources, reason] = /^(CKV2?_\w+) ([\w.*-]+): (\S.*)$/.exec(text) ?? [];
      if (rule && resources && reason) return { rule, resources, reason, file };
      throw new Error(`${file}: "checkov:skip=${text}" is not "checkov:skip=RULE RESOURCES: reason"`);
    }),
  );
}

/** What is wrong: findings that no suppression is about, and suppressions that no finding is about. */
export function problemsOf(findings: readonly Finding[], suppressions: readonly Suppression[]): string[] {
  const covers = ({ rule, resources }: Suppression, finding: Finding) =>
    rule === finding.rule && patternOf(resources).test(finding.address);
  const open = findings.filter((finding) => !suppressions.some((suppression) => covers(suppression, finding)));
  const unused = suppressions.filter((suppression) => !findings.some((finding) => covers(suppression, finding)));
  return [
    ...open.map(({ rule, address, name }) => `${rule} ${address}: ${name}`),
    ...unused.map(({ rule, resources, file }) => `${file}: nothing breaks ${rule} at ${resources}, remove the comment`),
  ].sort();
}

function patternOf(resources: string): RegExp {
  const text = resources.replaceAll(".", "\\.").replaceAll("*", ".*");
  return new RegExp(`^${text}${resources.includes(".") ? "" : "\\..*"}$`);
}

import { execFile } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { MissingTool } from "../../packages/processes/error.ts";
import { ROOT } from "../fixtures/env.ts";

/** The folder into which `node test/checkov/run.ts --install` installs checkov. */
export const CHECKOV_FOLDER = join(ROOT, ".local", "venv-checkov");

const BINARY = join(CHECKOV_FOLDER, "bin", "checkov");

/** A rule that a resource of a plan breaks. */
export interface Finding {
  rule: string;
  /** As in `aws_lambda_function.api-router`. */
  address: string;
  name: string;
}

/** A rule that is broken on purpose, as a comment beside the resource explains. */
export interface Suppression {
  rule: string;
  /** An address, or a type; `*` stands for any characters. */
  resources: string;
  reason: string;
  file: string;
}

/** Returns whether checkov is installed on this machine. */
export const isInstalled = (): boolean => existsSync(BINARY);

/** Throws MissingTool if it is not installed; the runner then does not start files that import this module. */
export function requireCheckov(): void {
  if (!isInstalled()) throw new MissingTool("checkov is not installed: node test/checkov/run.ts --install");
}

interface Report {
  results: { failed_checks: { check_id: string; check_name: string; resource: string }[] };
  summary: { passed: number; failed: number; parsing_errors: number };
}

/** Returns checkov's findings in plans (`terraform show -json`). Throws if it cannot read one or checks nothing. */
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
    // Makes checkov work offline: no version check, no upload.
    env: { ...process.env, LOG_LEVEL: "ERROR", BC_SKIP_MAPPING: "TRUE" },
  });
  const parsed: Report | Report[] = JSON.parse(stdout);
  // A file without a plan has only a summary.
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

/**
 * Reads the stacks' comments `// checkov:skip=RULE RESOURCES: reason`, whose reason may take several lines. Throws for one
 * without a reason, and for one that does not begin its line: a formatter that joins lines would cut off its reason.
 */
export function readSuppressions(root: string = ROOT): Suppression[] {
  return globSync("stacks/**/*.ts", { cwd: root }).flatMap((file) => {
    const text = readFileSync(join(root, file), "utf8");
    const comments = [...text.matchAll(/^ *\/\/ checkov:skip=(.*(?:\n *\/\/ (?!checkov:).*)*)/gm)];
    const found = comments.map(([, comment = ""]) => comment.replaceAll(/\n *\/\/ /g, " "));
    return found.map((one) => {
      const [, rule, resources, reason] = /^(CKV2?_\w+) ([\w.*-]+): (\S.*)$/.exec(one) ?? [];
      if (rule && resources && reason && !reason.includes("checkov:")) return { rule, resources, reason, file };
      throw new Error(
        `${file}: "checkov:skip=${one}" is not "checkov:skip=RULE RESOURCES: reason" on lines of its own`,
      );
    });
  });
}

/** Returns the problems: findings without a suppression, and suppressions without a finding. */
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

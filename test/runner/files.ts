import { existsSync, globSync, readFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import { OURS, targetOf } from "../import-graph.ts";

/** `unit` needs nothing, `integration` shares servers, `system` runs Terraform, whole commands or external tools. */
export type Layer = "unit" | "integration" | "system";

/** Where test files are; those of a package of its own lie in it. */
const FOLDERS = ["test", "packages/*/test", "packages/clients/*/test"] as const;

const LAYERS: readonly Layer[] = ["system", "integration", "unit"];

/** The Terraform file that runs by default: apply, empty plan, change, destroy. */
export const ONE_LIFE = "test/infrastructure/recommendation-apply.test.ts";

/** Files that take a minute or more, the longest of each layer first: one that begins last leaves cores idle. */
export const LONGEST: readonly string[] = [
  "test/e2e/dev.test.ts",
  "test/e2e/local-account.test.ts",
  "test/e2e/both-services.test.ts",
  "test/infrastructure/deploy.test.ts",
  "test/infrastructure/reviewed-plan.test.ts",
  "test/infrastructure/recommendation-alone.test.ts",
  "test/contract/killed-trainings.test.ts",
  "test/e2e/dev-kept.test.ts",
  "test/contract/clients.test.ts",
  "test/infrastructure/recommendation-stack.test.ts",
  "test/contract/bulk-interleavings.test.ts",
  "test/e2e/package.test.ts",
  "test/e2e/site.test.ts",
  "test/contract/training-killed.test.ts",
  "test/infrastructure/recommendation-interrupted.test.ts",
  "test/contract/killed-processes.test.ts",
  "test/infrastructure/permissions-taken-out.test.ts",
  "test/contract/faults.test.ts",
  "test/infrastructure/account.test.ts",
  "test/e2e/console.test.ts",
  "test/contract/others-tools.test.ts",
  "test/contract/pairs.test.ts",
  "test/infrastructure/recommendation-apply.test.ts",
  "test/contract/access-fuzz.test.ts",
  "test/integration/permissions-taken-out.test.ts",
  "test/integration/training-cli.test.ts",
  "test/integration/recommendation-loss.test.ts",
  "test/integration/access-attempts.test.ts",
  "test/integration/schema-generation-memory.test.ts",
  "test/integration/personalize-manager.test.ts",
  "test/integration/training-ingestion.test.ts",
  "test/integration/public-shapes.test.ts",
  "test/integration/raw-backend-driver.test.ts",
  "test/integration/raw-backend-outcome.test.ts",
  "test/integration/bad-searches.test.ts",
  "test/integration/index-rebuild.test.ts",
  "test/integration/merchandise.test.ts",
  "test/integration/training-gate.test.ts",
  "test/integration/index-commands.test.ts",
  "test/integration/index-vectors.test.ts",
  "test/integration/forget.test.ts",
  "test/integration/training-stops.test.ts",
  "test/integration/pairs.test.ts",
  "test/integration/passages-tools.test.ts",
  "test/integration/bulk-lost-answers.test.ts",
  "test/integration/index-replaced.test.ts",
  "test/integration/passages.test.ts",
];

/** The layer of a test file, by its folder. `file` is relative to the repository's root. */
export function layerOf(file: string): Layer {
  if (/^test\/(contract|e2e|infrastructure)\//.test(file)) return "system";
  return file.startsWith("test/integration/") ? "integration" : "unit";
}

export interface Selection {
  /** Files whose path contains one of these, in every layer. */
  words: readonly string[];
  unitOnly: boolean;
  /** Whether to run every system file if there are no words, not just {@link ONE_LIFE}. */
  all: boolean;
}

/** Returns the test files below `root` to run, relative to it: by layer, the longest first, then by path. */
export function selectFiles(root: string, { words, unitOnly, all }: Selection): string[] {
  const wanted = (file: string) => {
    if (unitOnly && layerOf(file) !== "unit") return false;
    if (words.length > 0) return words.some((word) => file.includes(word));
    return all || layerOf(file) !== "system" || file === ONE_LIFE;
  };
  const rank = (file: string) => {
    const position = LONGEST.indexOf(file);
    return LAYERS.indexOf(layerOf(file)) * (LONGEST.length + 1) + (position < 0 ? LONGEST.length : position);
  };
  const files = globSync(
    FOLDERS.map((folder) => `${folder}/**/*.test.ts`),
    { cwd: root },
  )
    .sort()
    .filter(wanted);
  return files.sort((a, b) => rank(a) - rank(b));
}

const IMPORTED = new RegExp(String.raw`(?:from|import\s*\(|import)\s*"${OURS}"`, "g");

/** Returns every file of ours below `root` that `file` imports, directly or not; all relative to `root`. */
export function importsOf(root: string, file: string): Set<string> {
  const found = new Set<string>();
  const visit = (importer: string) => {
    const source = readFileSync(join(root, importer), "utf8");
    for (const [, path = ""] of source.matchAll(IMPORTED)) {
      const target = targetOf(importer, path);
      if (found.has(target) || !existsSync(join(root, target))) continue;
      found.add(target);
      visit(target);
    }
  };
  visit(file);
  return found;
}

/** Whether a file is part of the tests; `suite.ts` is what they all run on. */
const isOfTests = (path: string) =>
  path !== "test/suite.ts" && FOLDERS.some((folder) => matchesGlob(path, `${folder}/**`));

/** Changes the process or the globals that all files of a process share, starts processes, or depends on the clock. */
const CHANGES_PROCESS =
  /process\.(?:env|exit|chdir|on|once|argv|cwd|stdout|stderr|kill|emit)|globalThis|console\.|child_process|worker_threads|performance\.|setGlobalDispatcher/;

/** What the tests of the console open it with. */
const CONSOLE = "packages/lab/test/console/console.ts";

/** Kinds of unit test files of which one process runs several, and how many, so that two workers end together. */
export const BATCH_SIZES = {
  /** Share the start of Node.js and imports. Neither they nor their helpers change the process. */
  plain: 10,
  /** Share a browser, too. */
  console: 6,
} as const;

/** Returns with which others a test file may share its process, if with any. */
export function batchOf(root: string, file: string): keyof typeof BATCH_SIZES | undefined {
  if (layerOf(file) !== "unit") return undefined;
  const imports = importsOf(root, file);
  if (imports.has(CONSOLE)) return "console";
  const own = [file, ...imports].filter(isOfTests);
  return own.some((path) => CHANGES_PROCESS.test(readFileSync(join(root, path), "utf8"))) ? undefined : "plain";
}

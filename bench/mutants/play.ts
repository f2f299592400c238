import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { batchOf } from "../../test/runner/files.ts";
import type { FileEnd } from "../../test/runner/outcome.ts";
import { runBatch, runFile } from "../../test/runner/run-file.ts";
import type { Mutant } from "./candidates.ts";

/** Relative links to our packages, which must be those of the copy. */
const OURS = "@relevance";

/** Copies what git knows of the repository, so that no mutant is ever written into it. */
export function copyRepository(root: string, folder: string): void {
  const list = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root });
  for (const file of list.toString().split("\0").filter(Boolean)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file), { verbatimSymlinks: true });
  }
  const modules = (name = "") => [join(root, "node_modules", name), join(folder, "node_modules", name)] as const;
  mkdirSync(modules()[1]);
  for (const name of readdirSync(modules()[0])) if (name !== OURS) symlinkSync(...modules(name));
  cpSync(...modules(OURS), { recursive: true, verbatimSymlinks: true });
}

/** Tests that fail without a mutant too, so say nothing; found out once, when a test fails for the first time. */
export class UnfitTests {
  readonly #known = new Map<string, Promise<boolean>>();

  /** Returns whether a test fails in a copy without a mutant. */
  isUnfit(copy: string, test: string, timeLimitMs: number): Promise<boolean> {
    const known = this.#known.get(test) ?? firstFailure(copy, [test], timeLimitMs).then((file) => file !== undefined);
    this.#known.set(test, known);
    return known;
  }
}

/**
 * Runs tests in the copy with the mutant in it, and returns the first that notices it: by failing, or by running longer
 * than the limit.
 */
export async function noticedBy(
  copy: string,
  mutant: Mutant,
  tests: readonly string[],
  { timeLimitMs, unfit }: { timeLimitMs: number; unfit: UnfitTests },
): Promise<string | undefined> {
  const path = join(copy, mutant.file);
  const text = readFileSync(path, "utf8");
  let left = [...tests];
  while (left.length > 0) {
    writeFileSync(path, `${text.slice(0, mutant.start)}${mutant.replacement}${text.slice(mutant.end)}`);
    const failed = await firstFailure(copy, left, timeLimitMs).finally(() => writeFileSync(path, text));
    if (failed === undefined || !(await unfit.isUnfit(copy, failed, timeLimitMs))) return failed;
    left = left.filter((file) => file !== failed);
  }
  return undefined;
}

/** Runs tests in the copy until the first that fails, and returns it. */
async function firstFailure(copy: string, tests: readonly string[], timeLimitMs: number): Promise<string | undefined> {
  const stop = new AbortController();
  let failed: string | undefined;
  const env = { NODE_COMPILE_CACHE: join(copy, ".compile-cache") };
  const options = { root: copy, env, timeLimitMs, signal: stop.signal, background: false };
  const count = (file: string, { code, timedOut }: Pick<FileEnd, "code" | "timedOut">) => {
    if (failed !== undefined || (code === 0 && !timedOut)) return;
    failed = file;
    stop.abort();
  };
  const together = tests.filter((file) => batchOf(copy, file) === "plain");
  if (together.length > 0) await runBatch(together, options, count);
  for (const file of tests) {
    if (failed === undefined && !together.includes(file)) count(file, await runFile(file, options));
  }
  return failed;
}

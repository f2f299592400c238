import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { MissingTool } from "../../packages/processes/error.ts";
import { ROOT } from "../fixtures/env.ts";

const LISTS = join(import.meta.dirname, "tools");
const FILES = ["package.json", "package-lock.json", "requirements.txt"] as const;

/** Where the tools are installed: packages of npm (260 MB) and a virtual environment of Python (140 MB). */
const HOME = join(ROOT, ".local", "contract-tools");
const MARKER = join(HOME, ".complete");
const VENV = join(HOME, "venv", "bin");

const run = promisify(execFile);

/** Runs one of the tools. Resolves with all that it said, or rejects with it if the tool fails. */
export async function runTool(...given: Parameters<typeof outputOf>): Promise<string> {
  const { stdout, stderr } = await outputOf(...given);
  return stdout + stderr;
}

/** Runs one of the tools. Resolves with its standard output alone, without warnings; rejects as `runTool` does. */
export const resultOf = async (...given: Parameters<typeof outputOf>): Promise<string> =>
  (await outputOf(...given)).stdout;

async function outputOf(
  command: string,
  args: readonly string[],
  { cwd = HOME, env = {} }: { cwd?: string; env?: Readonly<Record<string, string>> } = {},
): Promise<{ stdout: string; stderr: string }> {
  const path = [VENV, join(HOME, "node_modules", ".bin"), process.env.PATH].join(delimiter);
  const options = { cwd, env: { ...process.env, PATH: path, ...env }, maxBuffer: 64 * 1024 * 1024 };
  try {
    return await run(command, args, options);
  } catch (error) {
    const { stdout, stderr, message } = error as Error & { stdout?: string; stderr?: string };
    const said = `${stdout ?? ""}${stderr ?? ""}`.trim();
    throw new Error(`${command} ${args.join(" ")}: ${said || message}`, { cause: error });
  }
}

/** The folder with the installed packages of npm. */
export const NODE_MODULES = join(HOME, "node_modules");

/**
 * Installs the packages of npm and of Python in `tools/`, once for each version of their lists. Throws MissingTool without npm
 * or a Python that can create virtual environments.
 */
export async function installTools(say: (line: string) => void): Promise<void> {
  const marker = createHash("sha256");
  for (const file of FILES) marker.update(readFileSync(join(LISTS, file)));
  const wanted = marker.digest("hex");
  if (existsSync(MARKER) && readFileSync(MARKER, "utf8") === wanted) return;
  await run("npm", ["--version"]).catch(() => missing("npm is not on the PATH"));
  await run("python3", ["-c", "import venv, ensurepip"]).catch(() =>
    missing("python3 with its venv module is not installed"),
  );

  say("installing the tools of the contract tests (400 MB, once)");
  rmSync(HOME, { recursive: true, force: true });
  // A virtual environment cannot be moved, so the marker alone says that it is complete.
  mkdirSync(HOME, { recursive: true });
  for (const file of FILES) copyFileSync(join(LISTS, file), join(HOME, file));
  await runTool("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"]);
  await runTool("python3", ["-m", "venv", join(HOME, "venv")]);
  const pip = ["-m", "pip", "--disable-pip-version-check", "--no-input"];
  const install = [...pip, "install", "--quiet", "--no-compile", "--no-deps", "--require-hashes", "-r"];
  await runTool(join(VENV, "python"), [...install, "requirements.txt"]);
  await runTool(join(VENV, "python"), [...pip, "check"]);
  writeFileSync(MARKER, wanted);
}

function missing(what: string): never {
  throw new MissingTool(`The contract tests need more tools: ${what}`);
}
